/** What `npm pack` makes: always the same bytes; installed without a registry and without scripts, it sells. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { startPurser } from '../../support/purser-process.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = repositoryRoot();

let folder: TemporaryFolder;

/** What it says, warnings included. */
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

function bytesBelow(path: string): number {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + readFileSync(join(parentPath, name)).length, 0);
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
    const root = join(folder.path, 'checkout');
    for (const name of [
      'package.json',
      'tsconfig.json',
      'tsconfig.client.json',
      'bin',
      'packaging',
      'src',
      'console',
      'examples',
    ])
      cpSync(join(ROOT, name), join(root, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
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
    const others = spawnSync(process.execPath, [
      join(root, 'packaging', 'installation.mjs'),
      join(folder.path, 'laid-out'),
    ]);
    assert.equal(others.status, 1);
    assert.ok(!existsSync(join(folder.path, 'laid-out')), 'nothing is laid out of what was there before');
  });

  it('is small when it is installed, runs no script, and sells', async () => {
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
    assert.ok(bytesBelow(modules) < 60e6);
    const program = join(modules, 'purser', 'dist', 'program');
    const files = readdirSync(program, { recursive: true });
    assert.ok(files.length < 6 * 12, `${files.length} files`);
    const licences = readFileSync(join(program, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
    for (const inside of ['lmdb', 'pino', 'preact', '@preact/signals', 'swagger-ui-dist'])
      assert.match(licences, new RegExp(`^---- ${inside} \\d`, 'm'));
    // LMDB's binaries have others inside, and so has the bundle of Swagger UI.
    for (const inside of ['The OpenLDAP Public License', 'LZ4 Library'])
      assert.match(licences, new RegExp(`^${inside}$`, 'm'));
    assert.match(licences, /react\.production/);
    const dataDir = join(folder.path, 'data');
    const server = await startPurser({
      dataDir,
      entry: join(prefix, 'bin', 'purser'),
      flags: ['--demo', '--transport', 'node'],
    });
    try {
      await sell(server.buyerUrl, server.output());
      const operator = new CheckedOperatorClient(server.operatorUrl, server.operatorToken);
      assert.equal((await operator.json('GET', '/status')).status, 200);
      const page = await fetch(new URL('/console', server.operatorUrl));
      assert.match(await page.text(), /<!doctype html>/i);
      assert.equal((await fetch(new URL('/docs/swagger-ui.css', server.operatorUrl))).status, 200);
    } finally {
      assert.equal(await server.stop(), 0);
    }
    const verified = execFileSync(join(prefix, 'bin', 'purser'), ['verify', '--data', dataDir, '--json'], {
      encoding: 'utf8',
    });
    assert.match(verified, /"sound":true.* 1 orders, no item sold twice/);
  });
});

async function sell(buyerUrl: string, output: string): Promise<void> {
  const [key] = /pk_live_\w+/.exec(output) ?? assert.fail(output);
  const { PurserClient } = await import('purser/client');
  const client = new PurserClient({ baseUrl: buyerUrl, apiKey: key });
  const order = await client.purchase({ productId: 1, quantity: 1, expectedPriceUsdt: 9.5 }).send();
  assert.equal(order.delivery?.items?.length, 1);
}
