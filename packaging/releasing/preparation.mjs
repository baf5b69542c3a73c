/** The changes of a release in the checkout: versions and the changelog. Nothing is written here. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dateOfRelease, withRelease } from './changelog.mjs';
import { compareVersions, mayHaveVersion, withVersion } from './versions.mjs';

const VERSION = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;
const CHANGELOG = 'CHANGELOG.md';

/** The new texts by file, of those that change. Throws an error that says why there can be no such release. */
export function prepare({ root, version, date }) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  if (!VERSION.test(version)) throw new Error(`${version} is no version: expected one such as 1.0.0`);
  if (git('status', '--porcelain') !== '')
    throw new Error('the checkout has changes that are not committed: commit them, or put them away');
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const changelog = read(CHANGELOG);
  if (git('tag', '--list', `v${version}`) !== '' || dateOfRelease(changelog, version) !== undefined)
    throw new Error(`${version} was released already: choose the next version`);
  const { version: current } = JSON.parse(read('package.json'));
  if (compareVersions(version, current) < 0)
    throw new Error(`${version} is older than ${current}, which package.json has`);
  const changes = new Map([[CHANGELOG, withRelease(changelog, version, date)]]);
  for (const file of git('ls-files').split('\n').filter(mayHaveVersion)) {
    const text = read(file);
    const changed = withVersion(file, text, current, version);
    if (changed !== text) changes.set(file, changed);
  }
  return changes;
}
