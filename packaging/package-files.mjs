/**
 * Makes what `package.json` names under `files`, for `npm pack` and for a checkout's first start: the program in
 * `dist/program/` and the client in `dist/src/`. It says nothing: npm's own output is for those who call it.
 *
 * The package has no dependencies but LMDB's binary for its platform. With them as dependencies, an installation took
 * five times as many files, needed overrides that npm ignores in an installed package, and ran a script of LMDB's that
 * npm refuses or that wants a compiler.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildClient } from './client.mjs';
import { bundleProgram } from './program.mjs';

const require = createRequire(import.meta.url);
const { buildConsole } = require('../bin/console-files.cjs');
const { copyPageFiles } = require('../bin/page-files.cjs');

const root = join(import.meta.dirname, '..');
const pages = [...copyPageFiles(root), ...buildConsole(root)];
try {
  await buildClient(root);
  await bundleProgram(root, join(root, 'dist', 'program'), pages);
} catch (error) {
  // The bundler has said what is wrong, and where.
  if (error.errors === undefined) throw error;
  process.exitCode = 1;
}
