/**
 * Makes `release/purser_<version>_<architecture>.deb`.
 *
 *     node packaging/deb.mjs [--node FILE]
 *
 * Without `--node` it takes the one of node-binary.mjs. The same commit gives the same bytes: times inside are those of
 * the commit, or of `SOURCE_DATE_EPOCH` (seconds).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeDeb } from './deb/deb-package.mjs';
import { fetchNode } from './node-binary.mjs';
import { release, root } from './release.mjs';

const { values } = parseArgs({ options: { node: { type: 'string' } } });
const folder = mkdtempSync(join(tmpdir(), 'purser-deb-'));
try {
  await import('./package-files.mjs');
  mkdirSync(release, { recursive: true });
  const node = values.node === undefined ? fetchNode(folder) : resolve(values.node);
  const made = makeDeb({ root, node, target: release, epochSeconds: epochSeconds() });
  console.log(`made ${relative(root, made)}, ${Math.round(statSync(made).size / 1e6)} MB`);
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
