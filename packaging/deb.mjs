/**
 * Makes `release/purser_<version>_<architecture>.deb`.
 *
 *     node packaging/deb.mjs [--node FILE] [--into FOLDER]
 *
 * Without `--node` it takes the one of node-binary.mjs. The same commit gives the same bytes: times inside are those of
 * the commit, or of `SOURCE_DATE_EPOCH` (seconds).
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDeb } from './deb/deb-package.mjs';
import { fetchNode } from './node-binary.mjs';
import { makePackageFiles } from './package-files.mjs';
import { buildOptions, root, told } from './release.mjs';

const { node, target } = buildOptions();
const folder = mkdtempSync(join(tmpdir(), 'purser-deb-'));
try {
  await makePackageFiles();
  const made = makeDeb({ root, node: node ?? fetchNode(folder), target, epochSeconds: epochSeconds() });
  console.log(`made ${told(made)}, ${Math.round(statSync(made).size / 1e6)} MB`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function epochSeconds() {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given !== undefined) return Number(given);
  try {
    return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, stdio: 'pipe' }));
  } catch {
    throw new Error(
      'this is no checkout of git: set SOURCE_DATE_EPOCH to the time of the release, in seconds',
    );
  }
}
