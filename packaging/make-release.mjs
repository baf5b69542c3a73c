/**
 * `npm run release -- VERSION [--dry-run]`: sets the version wherever it stands, gives what is new in CHANGELOG.md its
 * heading, and makes `release/` (build-release.mjs). When that fails, or is broken off, every file is as before.
 *
 * The command commits nothing and publishes nothing: whoever releases looks at what was made, and then commits and
 * tags.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { release, root } from './release.mjs';
import { prepare } from './releasing/preparation.mjs';
import { step } from './releasing/step.mjs';

const USAGE = 'usage: npm run release -- VERSION [--dry-run]';

try {
  await main();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

async function main() {
  const { version, isDry } = commandLine();
  const date = new Date().toISOString().slice(0, 10);
  const changes = prepare({ root, version, date });
  for (const file of changes.keys()) console.log(`${isDry ? 'would change' : 'changed'} ${file}`);
  if (isDry) {
    console.log(`would make release/ for ${version}, of ${date}`);
    return;
  }
  const before = new Map([...changes.keys()].map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  write(changes);
  try {
    await step('npm', ['run', 'build:release'], { cwd: root });
  } catch {
    write(before);
    throw new Error('the release could not be made, and every file is as before');
  }
  console.log(`release/ has ${readdirSync(release).join(', ')}`);
  console.log('Look at `git diff` and try what was made. Then:');
  console.log(`  git commit --all --message 'Release ${version}' && git tag --sign v${version}`);
  console.log('To undo it: git checkout -- .');
}

function commandLine() {
  const options = { 'dry-run': { type: 'boolean', default: false } };
  let parsed;
  try {
    parsed = parseArgs({ options, allowPositionals: true });
  } catch {
    throw new Error(USAGE);
  }
  const { values, positionals } = parsed;
  if (positionals.length !== 1) throw new Error(USAGE);
  return { version: positionals[0], isDry: values['dry-run'] };
}

function write(texts) {
  for (const [file, text] of texts) writeFileSync(join(root, file), text);
}
