/**
 * Makes `release/purser-client-<version>.tgz`: the client as a package of its own, without the server.
 *
 * Its files keep their places below one another, for they name each other by them.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { buildClient } from './client.mjs';
import { buildOptions, manifest, packInto, root, told } from './release.mjs';

const ENTRY = { types: './client/entry.d.ts', default: './client/entry.js' };

const folder = mkdtempSync(join(tmpdir(), 'purser-client-'));
try {
  for (const file of await buildClient(root))
    cpSync(join(root, file), join(folder, relative(join('dist', 'src'), file)));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  cpSync(join(root, 'packaging', 'client-readme.md'), join(folder, 'README.md'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(clientManifest(), null, 2)}\n`);
  console.log(`made ${told(packInto(buildOptions().target, folder))}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function clientManifest() {
  const { version, license, type, engines } = manifest;
  return {
    name: 'purser-client',
    version,
    description: 'Buys from a Purser shop: typed, without dependencies, with retries that never buy twice.',
    license,
    type,
    // Under the name `purser` (npm install purser@…tgz) it answers as the server's package does.
    exports: { '.': ENTRY, './client': ENTRY, './package.json': './package.json' },
    sideEffects: false,
    engines,
  };
}
