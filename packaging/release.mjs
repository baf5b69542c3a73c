/**
 * `release/`, and how files get there: each is made elsewhere, and has its name there only when it is whole. Whatever is
 * broken off leaves what was there before.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const root = join(import.meta.dirname, '..');
export const release = join(root, 'release');
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The options of a build: `--into FOLDER`, in place of `release/`, and for some `--node FILE`. */
export function buildOptions() {
  const options = { node: { type: 'string' }, into: { type: 'string', default: release } };
  const { node, into } = parseArgs({ options }).values;
  return { node: node === undefined ? undefined : resolve(node), target: resolve(into) };
}

/** Packs the package in `folder`, without its scripts, into `target`. Returns the archive's path. */
export function packInto(target, folder) {
  const made = mkdtempSync(join(tmpdir(), 'purser-pack-'));
  try {
    const args = ['pack', folder, '--ignore-scripts', '--json', '--pack-destination', made];
    const [packed] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }));
    return putInto(target, join(made, packed.filename));
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** Puts a finished file into the folder `target`, in place of one of that name. Returns its path. */
export function putInto(target, file) {
  mkdirSync(target, { recursive: true });
  const place = join(target, basename(file));
  const unfinished = join(target, `.${basename(file)}.new`);
  try {
    copyFileSync(file, unfinished);
    renameSync(unfinished, place);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return place;
}

/** A path as it is told. */
export function told(path) {
  return relative(root, path);
}
