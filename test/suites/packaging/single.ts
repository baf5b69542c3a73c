/**
 * Proves the single file in `release/`, as it was made: `npm run test:single`. It needs what the file itself doesn't, a
 * registry to make it from, so it is no part of `npm test`.
 *
 * A demo of it sells with both servers, is killed, starts again and has the order; commands work; drills, which fork,
 * and threads run; a cache that was damaged is mended; where nothing can be unpacked, it says so. Of two nodes of a
 * cluster, one takes over. That it installs a service, and what it does where nothing may be executed: deb.ts.
 */
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PostgresRig, whyNoRig } from '../../support/postgres-rig.ts';
import { type PurserProcess, startPurser } from '../../support/purser-process.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { ClusterShop } from '../cluster/cluster-shop.ts';
import { DemoShop } from './demo-shop.ts';

const FILE = join(repositoryRoot(), 'release', `purser-${process.platform}-${process.arch}`);
const MAX_BYTES = 170e6;
const MAX_COMPRESSED_BYTES = 65e6;

const folder = await createTemporaryFolder('single');
const cache = join(folder.path, 'cache');
const dataDir = join(folder.path, 'data');

try {
  const bytes = statSync(FILE).size;
  const compressedBytes = gzipSync(readFileSync(FILE)).length;
  console.log(`${(bytes / 1e6).toFixed(1)} MB, ${(compressedBytes / 1e6).toFixed(1)} MB by gzip`);
  assert.ok(bytes <= MAX_BYTES && compressedBytes <= MAX_COMPRESSED_BYTES);
  await new DemoShop({ dataDir, backup: join(folder.path, 'backup'), start, run }).prove();
  mendDamage();
  refuse();
  await takeOver();
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

async function takeOver(): Promise<void> {
  const trouble = await whyNoRig();
  if (trouble !== undefined) {
    console.log(`no cluster: ${trouble}`);
    return;
  }
  const rig = await PostgresRig.start();
  const env = { XDG_CACHE_HOME: cache };
  const nodes = new ClusterShop({ folder: folder.path, url: rig.url, binary: FILE, env });
  const shop = new DemoShop({ dataDir: nodes.folderOf('a'), backup: '', start, run });
  try {
    const alone = await startPurser({
      dataDir: nodes.folderOf('a'),
      binary: FILE,
      flags: ['--demo'],
      env: nodes.environment,
    });
    await shop.sell(alone.buyerUrl, alone.output());
    await alone.stop();
    await nodes.init('a');
    await nodes.start('a');
    await nodes.join('b');
    await nodes.start('b');
    await nodes.level();
    await nodes.kill(await nodes.leader());
    const { buyerUrl } = nodes.running.get(await nodes.leader()) ?? assert.fail();
    await shop.hasOrders(buyerUrl);
    await shop.sell(buyerUrl, '');
    console.log('of two nodes of a cluster, the other one goes on');
  } finally {
    await nodes.close();
    await rig.close();
  }
}
