/** The packages that an installation brings, and what it prints: decisions 9 and 36. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { repositoryRoot } from './support/repository-root.ts';

interface Locked {
  /** The name of a package that is installed under another one. */
  readonly name?: string;
  readonly resolved?: string;
  /** A workspace: `resolved` is its folder. */
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly engines?: object;
}

function read(name: string) {
  return JSON.parse(readFileSync(join(repositoryRoot(), name), 'utf8'));
}

const manifest = read('package.json');
const locked: Record<string, Locked> = read('package-lock.json').packages;

it('the package has no dependencies but the binaries of LMDB, of the version that is inside', () => {
  assert.equal(manifest.dependencies, undefined);
  const binaries = Object.entries(manifest.optionalDependencies);
  assert.ok(binaries.length > 0);
  for (const [name, version] of binaries) {
    assert.match(name, /^@lmdb\/lmdb-/);
    assert.equal(version, manifest.devDependencies.lmdb);
  }
});

it('what the benchmarks alone import is a package of their workspace, and nothing of it is another one', () => {
  const importedBy = (folders: readonly string[]) => {
    const names = new Set<string>();
    for (const folder of folders)
      for (const name of readdirSync(join(repositoryRoot(), folder), { recursive: true, encoding: 'utf8' })) {
        if (!/\.(tsx?|mjs|cjs)$/.test(name)) continue;
        const text = readFileSync(join(repositoryRoot(), folder, name), 'utf8');
        for (const [, found = ''] of text.matchAll(
          /(?:\bfrom |\bimport\(|\bimport |\brequire\()'((?:@[\w-]+\/)?[\w.-]+)[^']*'/g,
        ))
          if (found in manifest.devDependencies || found in bench) names.add(found);
      }
    return names;
  };
  const bench = read('bench/package.json').devDependencies;
  const byOthers = importedBy(['src', 'test', 'console', 'examples', 'packaging', 'bin']);
  const alone = [...importedBy(['bench'])].filter((name) => !byOthers.has(name));
  assert.deepEqual(alone.sort(), Object.keys(bench).sort());
});

it('a signal to `npm start` reaches the node: the shell that npm starts is replaced by it', () => {
  assert.match(manifest.scripts.start, /^exec node /);
});

it('an installation asks any registry: the lock file names none', () => {
  assert.deepEqual(
    Object.keys(locked).filter((path) => locked[path]?.resolved !== undefined && !locked[path].link),
    [],
  );
});

it('an installation is told of each install script whether it is needed, so that npm asks nobody', () => {
  const scripts = Object.keys(locked).filter((path) => locked[path]?.hasInstallScript);
  const names = scripts.map((path) => path.replace(/^.*node_modules\//, ''));
  assert.deepEqual(names.sort(), Object.keys(manifest.allowScripts).sort());
});

it('an installation has nothing that reports it', () => {
  const scarf = Object.entries(locked).filter(([path]) => path.endsWith('node_modules/@scarf/scarf'));
  assert.ok(scarf.length > 0, 'nobody asks for it any more: the override can go');
  assert.deepEqual(
    scarf.map(([, { name }]) => name),
    ['ms'],
  );
});

it('an installation has the binaries of uWebSockets.js on Node 20, too', () => {
  const entry = locked['node_modules/uWebSockets.js'];
  assert.ok(entry !== undefined && manifest.devDependencies['uWebSockets.js'] !== undefined);
  assert.equal(
    entry.engines,
    undefined,
    'take "engines" out of its entry in package-lock.json: npm leaves the package out of Node 20 by it',
  );
});
