'use strict';
/*
 * The main of the single file: unpacks the program into a folder of the user's, and goes on there as an installed
 * package does. It is run for the processes that the program forks, too: for Node, this file is the one to start.
 */
const { createRequire } = require('node:module');
const path = require('node:path');
const sea = require('node:sea');
const { say } = require('../../bin/say.cjs');
const { placesFor, unpack } = require('./unpacking.cjs');

const FATAL = 60;

function main() {
  const contents = JSON.parse(sea.getAsset('contents.json', 'utf8'));
  const bytesOf = (name) => new Uint8Array(sea.getRawAsset(name));
  /** Loaded for good: the program finds it in the cache of modules. */
  const load = (folder) =>
    createRequire(path.join(folder, 'purser', 'bin', 'x'))(path.join(folder, contents.probe));
  let folder;
  try {
    folder = unpack({ ...contents, bytesOf, load, places: placesFor(process) });
  } catch (error) {
    say(`error: ${error.message}`, FATAL);
    process.exitCode = 1;
    return;
  }
  const bin = path.join(folder, 'purser', 'bin');
  createRequire(path.join(bin, 'x'))(isForked(folder) ? './forked.cjs' : './purser.cjs');
}

/** Node itself puts the program that is forked first. */
function isForked(folder) {
  const program = process.argv[2];
  return process.channel !== undefined && program?.startsWith(folder + path.sep) === true;
}

main();
