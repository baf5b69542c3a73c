/** `release/`, and how files get there. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');
export const release = join(root, 'release');
export const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Packs the package in `folder`, without its scripts, into `target`. Returns the archive's name. */
export function packInto(target, folder) {
  mkdirSync(target, { recursive: true });
  const args = ['pack', folder, '--ignore-scripts', '--json', '--pack-destination', target];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }));
  return packed.filename;
}
