'use strict';
/*
 * Copies what the pages `/docs` are drawn with into the build: our own files, and those of the development dependency
 * `swagger-ui-dist`.
 *
 * Three of its forty files are served; its licence goes with them. As an ordinary dependency it would put 12 MB and a
 * package that reports installations into every tree that has Purser in it.
 */
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');

const FILES = ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png', 'LICENSE', 'NOTICE'];

/**
 * `root` is the folder that holds package.json. Returns where they are from, relative to it. Throws an error with a
 * one-line message when they aren't there.
 */
function copyPageFiles(root) {
  const source = findSource(root);
  const target = path.join(root, 'dist', 'src', 'http', 'pages', 'docs-page');
  fs.mkdirSync(target, { recursive: true });
  for (const name of FILES) fs.copyFileSync(path.join(source, name), path.join(target, name));
  fs.cpSync(path.join(root, 'src', 'http', 'pages', 'docs-page'), target, { recursive: true });
  return FILES.map((name) => path.relative(root, path.join(source, name)));
}

function findSource(root) {
  try {
    return path.dirname(
      createRequire(path.join(root, 'package.json')).resolve('swagger-ui-dist/package.json'),
    );
  } catch {
    throw new Error(
      'the package swagger-ui-dist, which the page /docs is made of, is not installed: run `npm ci` first',
    );
  }
}

module.exports = { copyPageFiles };

if (require.main === module) copyPageFiles(path.join(__dirname, '..'));
