/**
 * The stamp by which `bin/build-if-needed.cjs` knows that the program in `dist/program/` is of the sources as they are:
 * `dist/.built`, with the time before anything was read. So an edit during a build leads to the next one, and a build that
 * fails or is broken off leaves the stamp of the one before.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs `work`, which builds the program of the checkout at `root`. */
export async function stamped(root, work) {
  const dist = join(root, 'dist');
  const next = join(dist, '.built.next');
  mkdirSync(dist, { recursive: true });
  writeFileSync(next, '');
  await work();
  renameSync(next, join(dist, '.built'));
}
