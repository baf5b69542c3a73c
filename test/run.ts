/**
 * Runs every `*.test.js` below `dist/test` with node's own runner, one process a file.
 *
 * A script rather than `node --test <glob>`, because node 20 takes folders and node 22 takes globs.
 * `--long NAME` sets PURSER_TEST_LONG for the proofs that have a short form here and a long one of their own.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({ options: { long: { type: 'string' } }, allowPositionals: true });
const root = import.meta.dirname;
const folder = values.long === undefined ? root : join(root, values.long);
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.test.js'))
  .filter((name) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
  // Not by folder: neighbours there tend to wait for timers together, and to compute together.
  .sort((a, b) => (basename(a) < basename(b) ? -1 : 1))
  .map((name) => join(folder, name));

if (files.length === 0) {
  console.error(`no test file matches ${positionals.join(' ') || folder}`);
  process.exit(1);
}
const run = spawnSync(
  process.execPath,
  [
    '--test',
    '--test-concurrency=3',
    '--enable-source-maps',
    ...reporter(process.stdout.isTTY ? 'spec' : 'tap', 'stdout'),
    // Spec ends with the failures itself.
    ...(process.stdout.isTTY ? [] : reporter(pathToFileURL(join(root, 'failures.js')).href, 'stderr')),
    ...files,
  ],
  {
    stdio: 'inherit',
    env: { ...process.env, ...(values.long === undefined ? {} : { PURSER_TEST_LONG: values.long }) },
  },
);
process.exit(run.status ?? 1);

function reporter(name: string, destination: 'stdout' | 'stderr'): string[] {
  return [`--test-reporter=${name}`, `--test-reporter-destination=${destination}`];
}
