'use strict';
/*
 * Before a source checkout starts: builds the program as it is shipped, if something has changed since the last build. An
 * installed package doesn't have this file.
 *
 * A build is current when its stamp (packaging/build-stamp.mjs) is newer than all of SOURCES, of what is in them, and of
 * what npm installed last; a folder's time tells of a deleted file. Only the holder of the lock builds and the others wait,
 * so nobody runs half-written files.
 *
 * Types are not checked: that would take twenty times as long, and `npm test` does it. What the TypeScript compiler writes
 * is not started: Node takes twice as long to find and to load a file for each source.
 */
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { withBuildLock } = require('./build-lock.cjs');
const { isLogged, say } = require('./say.cjs');

/** Shorter than the age at which others take the lock for an abandoned one. */
const BUILD_TIMEOUT_MS = 300_000;
const SOURCES = [
  'package.json',
  'tsconfig.json',
  'tsconfig.client.json',
  'bin',
  'console',
  'examples',
  'packaging',
  'src',
  // Which npm writes with each installation: the libraries are inside the program.
  path.join('node_modules', '.package-lock.json'),
];

/** `root` is the folder that holds package.json. Throws an error with a one-line message when it can't build. */
function buildIfNeeded(root) {
  if (isCurrent(root)) return;
  if (!hasBundler(root)) {
    if (fs.existsSync(programOf(root))) return;
    throw new Error('purser is not built, and esbuild is not installed: run `npm ci --include=dev` first');
  }
  fs.mkdirSync(path.join(root, 'dist'), { recursive: true });
  withBuildLock(path.join(root, 'dist', '.building'), () => {
    if (!isCurrent(root)) build(root);
  });
}

function programOf(root) {
  return path.join(root, 'dist', 'program', 'program.js');
}

function stampOf(root) {
  return path.join(root, 'dist', '.built');
}

function isCurrent(root) {
  const stamp = fs.statSync(stampOf(root), { throwIfNoEntry: false });
  if (stamp === undefined || !fs.existsSync(programOf(root))) return false;
  return SOURCES.map((name) => path.join(root, name))
    .filter((source) => fs.existsSync(source))
    .every((source) => isOlderThan(source, stamp.mtimeMs));
}

function isOlderThan(source, timeMs) {
  const stat = fs.statSync(source, { throwIfNoEntry: false });
  if (stat === undefined || stat.mtimeMs >= timeMs) return false;
  return (
    !stat.isDirectory() ||
    fs.readdirSync(source).every((name) => isOlderThan(path.join(source, name), timeMs))
  );
}

function hasBundler(root) {
  try {
    createRequire(path.join(root, 'package.json')).resolve('esbuild');
    return true;
  } catch {
    return false;
  }
}

function build(root) {
  say('building…', 30);
  const run = spawnSync(process.execPath, [path.join(root, 'packaging', 'package-files.mjs')], {
    cwd: root,
    stdio: isLogged ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2],
    encoding: 'utf8',
    timeout: BUILD_TIMEOUT_MS,
  });
  if (run.error !== undefined) throw new Error(`the build did not run: ${run.error.message}`);
  if (run.signal !== null) throw new Error(`the build was ended by ${run.signal}`);
  if (run.status === 0) return;
  throw new Error(`the build failed${isLogged ? `: ${firstError(run.stderr)}` : '; its messages are above'}`);
}

/** With its place, which the bundler tells in the next line. */
function firstError(stderr) {
  const lines = stderr.split('\n').map((line) => line.trim());
  const said = lines.filter((line) => line !== '');
  const at = Math.max(
    0,
    said.findIndex((line) => line.includes('[ERROR]')),
  );
  const place = said[at + 1] ?? '';
  return /:\d+:$/.test(place) ? `${said[at]} ${place}` : (said[at] ?? 'it said nothing');
}

module.exports = { buildIfNeeded };
