/**
 * Where the version stands: the package, its lock file, the program, and wherever a document or an example names what a
 * release makes (`purser-1.0.0.tgz`, `purser_1.0.0_amd64.deb`, `purser:1.0.0`).
 */
const PLACES = {
  'package.json': /^( {2}"version": ")([^"]+)/m,
  'package-lock.json': /^( {2}"version": "| {6}"name": "purser",\n {6}"version": ")([^"]+)/gm,
  'src/version.ts': /(PURSER_VERSION = ')([^']+)/,
};
const DOCUMENT = /\.md$|^deploy\/|^packaging\/deb\//;
/** Files of the past, which are not changed. */
const HISTORY = /^CHANGELOG\.md$|^docs\/decisions\//;

/** Whether the version can stand in the file. */
export function mayHaveVersion(file) {
  return file in PLACES || (DOCUMENT.test(file) && !HISTORY.test(file));
}

/** The file's text with the new version. Throws when it should have the old one, and has not. */
export function withVersion(file, text, from, to) {
  const name = new RegExp(
    `(\\bpurser(?:-client)?[-_:])(${from.replaceAll('.', '\\.')})(?![0-9A-Za-z-]|\\.\\d)`,
    'g',
  );
  const changed = text.replace(PLACES[file] ?? name, (found, before, version) =>
    version === from ? `${before}${to}` : found,
  );
  if (file in PLACES && changed === text && from !== to)
    throw new Error(`${file} does not have the version ${from}`);
  return changed;
}

/** Below 0 when `a` is the older one. */
export function compareVersions(a, b) {
  const [left, right] = [a, b].map((version) => version.split('-', 1)[0].split('.').map(Number));
  const at = left.findIndex((part, index) => part !== right[index]);
  if (at !== -1) return left[at] - right[at];
  return Number(b.includes('-')) - Number(a.includes('-'));
}
