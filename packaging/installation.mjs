/**
 * Lays the program out in a folder, as it is installed on this machine: `node packaging/installation.mjs FOLDER`.
 * Images of containers are made of that. The single file has the same inside: the program, the binary of LMDB and,
 * where there is one for this Node, that of uWebSockets.js; `purser/bin/purser.cjs` below the folder starts it.
 *
 * Nothing is fetched: every package is the one that `npm ci` has held against the lock file.
 */
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makePackageFiles } from './package-files.mjs';
import { root } from './release.mjs';
import { singleFiles } from './single-files.mjs';

const STARTED = 'purser/bin/purser.cjs';

/** Lays out the program as it is built. */
export function layOut(target) {
  const { platform, arch, execPath: node } = process;
  const { files } = singleFiles({ root, node, platform, arch, abi: process.versions.modules });
  for (const { path, source } of files) {
    const file = join(resolve(target), path);
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(source, file);
    chmodSync(file, path === STARTED ? 0o755 : 0o644);
  }
}

if (process.argv[1] === import.meta.filename) {
  const [target, ...others] = process.argv.slice(2);
  if (target === undefined || others.length > 0) {
    console.error('usage: node packaging/installation.mjs FOLDER');
    process.exit(2);
  }
  await makePackageFiles();
  layOut(target);
}
