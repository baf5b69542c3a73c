#!/usr/bin/env node
'use strict';
/*
 * The entry of the `purser` command, and of the server's own process: no child is spawned, for a child would
 * survive a kill of its parent.
 *
 * CommonJS on purpose. Journal writes share libuv's thread pool with name look-ups and file reads, and the
 * pool reads its size once, when the first job arrives. Inside an ES module that has already happened; here
 * it has not. What is said to V8 must be said before there is a heap to speak of. How far it may grow before it is
 * swept: by itself V8 lets the engine's grow to three times what is alive, which is memory that no order needs. And
 * where objects begin: by itself V8 notes places in the code whose objects lived on, as in a burst, and makes theirs
 * among the old from then on, for good (decision 18). The syntax stays old enough for an outdated Node to reach the
 * sentence that says so.
 */
if (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = '16';

const { existsSync } = require('node:fs');
const path = require('node:path');
const { say } = require('./say.cjs');
const { setFlagsFromString } = require('node:v8');
setFlagsFromString('--heap-growing-percent=50');
setFlagsFromString('--no-allocation-site-pretenuring');

const OLDEST_NODE = [20, 19];

function isNodeTooOld(version) {
  const [major, minor] = version.split('.').map(Number);
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]);
}

function fail(message) {
  say(`error: ${message}`, 60);
  process.exitCode = 1;
}

/** An installed package has neither, and starts what it came with. */
function isSourceCheckout(root) {
  return existsSync(path.join(root, 'tsconfig.json')) && existsSync(path.join(root, 'src'));
}

function start() {
  const url = require('node:url');
  const root = path.join(__dirname, '..');
  if (isSourceCheckout(root)) {
    try {
      require('./build-if-needed.cjs').buildIfNeeded(root);
    } catch (error) {
      fail(error.message);
      return;
    }
  }
  const program = path.join(root, 'dist', 'program', 'program.js');
  import(url.pathToFileURL(program).href)
    .then((module) => module.main())
    .catch((error) => fail(`purser could not start: ${String(error.message).split('\n')[0]}`));
}

if (isNodeTooOld(process.versions.node)) {
  fail(`purser needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}`);
} else {
  start();
}
