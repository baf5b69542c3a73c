'use strict';
/*
 * In a source checkout, compiles before the program starts when something changed since the last build. An installed
 * package doesn't have this file.
 *
 * A build is current when `dist/.built` is newer than package.json, tsconfig.json and every file and folder
 * under src/, console/ and examples/ (a folder's time tells of a deleted file). The stamp is created before the compiler starts
 * and put in place after it succeeded, so an edit during the build leads to the next one. Only the holder of the lock
 * builds and the others wait, so nobody runs half-written files.
 *
 * Building aside and swapping folders was rejected: it would throw away the compiler's incremental state.
 */
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const { createRequire } = require('node:module');
const path = require('node:path');
const { withBuildLock } = require('./build-lock.cjs');
const { buildConsole } = require('./console-files.cjs');
const { copyPageFiles } = require('./page-files.cjs');
const { isLogged, say } = require('./say.cjs');

/** Shorter than the age at which others take the lock for an abandoned one. */
const BUILD_TIMEOUT_MS = 300_000;

/** `root` is the folder that holds package.json. Throws an error with a one-line message when it can't build. */
function buildIfNeeded(root) {
  if (isCurrent(root)) return;
  const compiler = findCompiler(root);
  if (compiler === undefined) {
    if (fs.existsSync(programOf(root))) return;
    throw new Error('purser is not built and the TypeScript compiler is not installed: run `npm ci` first');
  }
  fs.mkdirSync(path.join(root, 'dist'), { recursive: true });
  withBuildLock(path.join(root, 'dist', '.building'), () => {
    if (!isCurrent(root)) build(root, compiler);
  });
}

function programOf(root) {
  return path.join(root, 'dist', 'src', 'cli', 'program.js');
}

function stampOf(root) {
  return path.join(root, 'dist', '.built');
}

function isCurrent(root) {
  const stamp = fs.statSync(stampOf(root), { throwIfNoEntry: false });
  if (stamp === undefined || !fs.existsSync(programOf(root))) return false;
  const sources = ['package.json', 'tsconfig.json', 'src', 'console'].map((name) => path.join(root, name));
  const examples = path.join(root, 'examples');
  if (fs.existsSync(examples)) sources.push(examples);
  return sources.every((source) => isOlderThan(source, stamp.mtimeMs));
}

function isOlderThan(source, timeMs) {
  const stat = fs.statSync(source, { throwIfNoEntry: false });
  if (stat === undefined || stat.mtimeMs >= timeMs) return false;
  return (
    !stat.isDirectory() ||
    fs.readdirSync(source).every((name) => isOlderThan(path.join(source, name), timeMs))
  );
}

function findCompiler(root) {
  try {
    return createRequire(path.join(root, 'package.json')).resolve('typescript/bin/tsc');
  } catch {
    return undefined;
  }
}

function build(root, compiler) {
  say('building…', 30);
  const nextStamp = path.join(root, 'dist', '.built.next');
  fs.writeFileSync(nextStamp, '');
  // The compiler trusts its own record of what it wrote, even when the files are gone.
  if (!fs.existsSync(programOf(root))) fs.rmSync(path.join(root, 'dist', '.tsbuildinfo'), { force: true });
  const run = spawnSync(process.execPath, [compiler, '--project', path.join(root, 'tsconfig.json')], {
    cwd: root,
    stdio: isLogged ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2],
    encoding: 'utf8',
    timeout: BUILD_TIMEOUT_MS,
  });
  if (run.error !== undefined) throw new Error(`the TypeScript compiler did not run: ${run.error.message}`);
  if (run.status !== 0) {
    const said = isLogged
      ? `: ${`${run.stdout}${run.stderr}`.split('\n', 1)[0]}`
      : '; what the compiler said is above';
    throw new Error(`the build failed${said}`);
  }
  copyPageFiles(root);
  buildConsole(root);
  fs.renameSync(nextStamp, stampOf(root));
}

module.exports = { buildIfNeeded };
