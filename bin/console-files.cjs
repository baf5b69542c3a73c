'use strict';
/*
 * Makes `dist/console/`, which the node serves at `/console`: one script, one style sheet, the page and its picture.
 *
 * No map of the sources: it would be five times as large as what is served, and every package would carry it.
 */
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');

const STATIC_FILES = ['index.html', 'favicon.svg'];

/**
 * `root` is the folder that holds package.json. Returns what the script is made of, relative to it. Throws an error with a
 * one-line message when it can't build.
 */
function buildConsole(root) {
  const source = path.join(root, 'console');
  const target = path.join(root, 'dist', 'console');
  fs.rmSync(target, { recursive: true, force: true });
  fs.mkdirSync(target, { recursive: true });
  const { metafile } = findBundler(root).buildSync({
    absWorkingDir: root,
    entryPoints: { console: path.join(source, 'main.tsx') },
    outdir: target,
    bundle: true,
    minify: true,
    format: 'esm',
    target: ['es2022', 'chrome109', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: '{}',
    legalComments: 'eof',
    logLevel: 'warning',
    metafile: true,
  });
  for (const name of STATIC_FILES) fs.copyFileSync(path.join(source, name), path.join(target, name));
  return Object.keys(metafile.inputs);
}

function findBundler(root) {
  try {
    return createRequire(path.join(root, 'package.json'))('esbuild');
  } catch {
    throw new Error('the package esbuild, which makes the console, is not installed: run `npm ci` first');
  }
}

module.exports = { buildConsole };

if (require.main === module) buildConsole(path.join(__dirname, '..'));
