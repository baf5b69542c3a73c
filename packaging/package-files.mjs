/**
 * Makes what `package.json` names under `files`: the program in `dist/program/` and the client in `dist/src/`. By itself
 * (`node packaging/package-files.mjs`), for `npm pack` and for a start from a checkout, it says nothing but what is wrong:
 * npm's own output is for those who call it.
 *
 * The package has no dependencies but LMDB's binary for its platform. With them as dependencies, an installation took
 * five times as many files, needed overrides that npm ignores in an installed package, and ran a script of LMDB's that
 * npm refuses or that wants a compiler.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { stamped } from './build-stamp.mjs';
import { buildClient } from './client.mjs';
import { bundleProgram } from './program.mjs';

const require = createRequire(import.meta.url);
const { buildConsole } = require('../bin/console-files.cjs');
const { copyPageFiles } = require('../bin/page-files.cjs');

const root = join(import.meta.dirname, '..');

export function makePackageFiles() {
  return stamped(root, async () => {
    const pages = [...copyPageFiles(root), ...buildConsole(root)];
    await buildClient(root);
    await bundleProgram(root, join(root, 'dist', 'program'), pages);
  });
}

if (process.argv[1] === import.meta.filename) {
  try {
    await makePackageFiles();
  } catch (error) {
    // The bundler has said by itself what is wrong, and where.
    if (error.errors === undefined) console.error(`✘ [ERROR] ${error.message}`);
    process.exitCode = 1;
  }
}
