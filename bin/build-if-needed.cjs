'use strict';
/*
 * In a source checkout, makes the program as it is shipped before it starts, when something changed since the last build.
 * An installed package doesn't have this file.
 *
 * A build is current when `dist/.built` is newer than the files and folders that it is made of (a folder's time tells of
 * a deleted file). The stamp is created before the build starts and put in place after it succeeded, so an edit during the
 * build leads to the next one. Only the holder of the lock builds and the others wait, so nobody runs half-written files.
 *
 * Types are not checked: it takes twenty times as long, and `npm test` does it. What the TypeScript compiler writes, a
 * file for each file, was what a checkout started before: Node took as long again to find and to load those.
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
  'src',
  'console',
  'examples',
  'packaging',
];

/** `root` is the folder that holds package.json. Throws an error with a one-line message when it can't build. */
function buildIfNeeded(root) {
  if (isCurrent(root)) return;
  if (!hasBundler(root)) {
    if (fs.existsSync(programOf(root))) return;
    throw new Error('purser is not built, and what builds it is not installed: run `npm ci` first');
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
  return SOURCES.every((name) => isOlderThan(path.join(root, name), stamp.mtimeMs));
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
  const nextStamp = path.join(root, 'dist', '.built.next');
  fs.writeFileSync(nextStamp, '');
  const run = spawnSync(process.execPath, [path.join(root, 'packaging', 'package-files.mjs')], {
    cwd: root,
    stdio: isLogged ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2],
    encoding: 'utf8',
    timeout: BUILD_TIMEOUT_MS,
  });
  if (run.error !== undefined) throw new Error(`the build did not run: ${run.error.message}`);
  if (run.status !== 0) {
    const said = isLogged ? `: ${firstError(`${run.stdout}${run.stderr}`)}` : '; what it said is above';
    throw new Error(`the build failed${said}`);
  }
  fs.renameSync(nextStamp, stampOf(root));
}

/** What is wrong, and where: two lines of the bundler's. */
function firstError(text) {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .slice(0, 2)
    .join(' ');
}

module.exports = { buildIfNeeded };
