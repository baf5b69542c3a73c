/** CHANGELOG.md: what is new stands under `## Unreleased`, and at a release under its version with the date. */
const UNRELEASED = /^## Unreleased\n+/m;
const NOTHING = 'Nothing yet.';

/** The text in which what was new is the release's. `date` is as `2026-11-27`. Throws when nothing is new. */
export function withRelease(text, version, date) {
  const [found] = UNRELEASED.exec(text) ?? [];
  if (found === undefined) throw new Error('CHANGELOG.md has no heading "## Unreleased"');
  const [before, after] = text.split(found);
  const news = after.split(/^## /m, 1)[0].trim();
  if (news === '' || news === NOTHING)
    throw new Error('CHANGELOG.md says under Unreleased that nothing is new: write what is');
  return `${before}## Unreleased\n\n${NOTHING}\n\n## ${version} — ${date}\n\n${after}`;
}

/** The date of a release; undefined when there was none. */
export function dateOfRelease(text, version) {
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')} — (\\d{4}-\\d\\d-\\d\\d)$`, 'm');
  return heading.exec(text)?.[1];
}
