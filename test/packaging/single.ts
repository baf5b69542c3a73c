/**
 * Proves the single file in `release/`, as it was made: `npm run test:single`. It needs what the file itself doesn't, a
 * registry to make it from, so it is no part of `npm test`.
 *
 * A demo of it sells with both servers, is killed, starts again and has the order; commands work; drills, which fork,
 * and threads run; a cache that was damaged is mended; where nothing can be unpacked, it says so.
 */
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PurserClient } from 'purser/client';
import { type PurserProcess, startPurser } from '../support/purser-process.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const FILE = join(repositoryRoot(), 'release', `purser-${process.platform}-${process.arch}`);
const MAX_BYTES = 170e6;
const MAX_COMPRESSED_BYTES = 65e6;

const folder = await createTemporaryFolder('single');
const cache = join(folder.path, 'cache');
const dataDir = join(folder.path, 'data');
/** Of the demo's account. */
let key: string | undefined;
const orders: number[] = [];

try {
  const bytes = statSync(FILE).size;
  const compressedBytes = gzipSync(readFileSync(FILE)).length;
  console.log(`${(bytes / 1e6).toFixed(1)} MB, ${(compressedBytes / 1e6).toFixed(1)} MB by gzip`);
  assert.ok(bytes <= MAX_BYTES && compressedBytes <= MAX_COMPRESSED_BYTES);
  for (const transport of ['uws', 'node']) await sellAndDie(transport);
  await drill();
  const verified = run(['verify', '--data', dataDir]);
  assert.equal(verified.status, 0, verified.stderr);
  mendDamage();
  refuse();
  console.log('the single file sells, survives kill -9, restores its backup, and verifies');
} finally {
  await folder.remove();
}

function start(flags: readonly string[]): Promise<PurserProcess> {
  return startPurser({ dataDir, binary: FILE, flags, env: { XDG_CACHE_HOME: cache } });
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): SpawnSyncReturns<string> {
  return spawnSync(FILE, args, {
    env: { PATH: '/nowhere', XDG_CACHE_HOME: cache, ...env },
    encoding: 'utf8',
  });
}

async function sellAndDie(transport: string): Promise<void> {
  const server = await start(['--demo', '--transport', transport]);
  key ??= /pk_live_\w+/.exec(server.output())?.[0] ?? assert.fail(server.output());
  const client = new PurserClient({ baseUrl: server.buyerUrl, apiKey: key });
  const order = await client.purchase({ productId: 1, quantity: 1, expectedPriceUsdt: 9.5 }).send();
  orders.push(order.orderId);
  await server.kill();
  console.log(`sold over ${transport}, and killed`);
}

/** The drill restores the backup in a process that the node forks. */
async function drill(): Promise<void> {
  const server = await start(['--backup', join(folder.path, 'backup')]);
  const client = new PurserClient({ baseUrl: server.buyerUrl, apiKey: key ?? '' });
  for (const orderId of orders) assert.equal((await client.order(orderId)).orderId, orderId);
  const operator = ['--operator', new URL(server.operatorUrl).origin, '--token', server.operatorToken];
  for (const args of [['backup', 'drill'], ['backup', 'status'], ['console'], ['product', 'list']]) {
    const { status, stdout, stderr } = run([...args, ...operator]);
    assert.equal(status, 0, `${args.join(' ')}: ${stdout}${stderr}`);
  }
  const page = await fetch(new URL('/console', server.operatorUrl));
  assert.match(await page.text(), /<!doctype html>/i);
  assert.equal((await fetch(new URL('/docs/swagger-ui.css', server.buyerUrl))).status, 200);
  assert.equal(await server.stop(), 0);
  console.log('drilled, asked by commands, and stopped');
}

function mendDamage(): void {
  const [unpacked] = readdirSync(join(cache, 'purser'));
  assert.ok(unpacked !== undefined);
  const program = join(cache, 'purser', unpacked, 'purser', 'dist', 'program');
  writeFileSync(join(program, 'program.js'), 'throw new Error("altered")');
  rmSync(join(program, 'worker.js'));
  const { status, stderr } = run(['--version']);
  assert.equal(status, 0, stderr);
}

function refuse(): void {
  const { status, stderr } = run(['--version'], { XDG_CACHE_HOME: '/proc/1', TMPDIR: '/proc/1' });
  assert.equal(status, 1);
  assert.match(stderr, /^error: purser finds no folder to unpack its program into \([^\n]+\n$/);
}
