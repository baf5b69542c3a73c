/**
 * The single file: a demo of it sells with both servers, is killed, starts again and has the order; commands work;
 * drills, which fork, and threads run; a cache that was damaged is mended; where nothing can be unpacked, it says so.
 * In a cluster of two nodes, one takes over.
 */
import assert from 'node:assert/strict';
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ClusterShop } from '../../support/nodes/cluster-shop.ts';
import { type PurserProcess, startPurser } from '../../support/nodes/purser-process.ts';
import { PostgresRig, whyNoRig } from '../../support/servers/postgres-rig.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { DemoShop } from './demo-shop.ts';
import { singleFileIn } from './shipped.ts';

describe('the single file', { timeout: 600_000 }, () => {
  let folder: TemporaryFolder;
  let file: string;
  let cache: string;
  before(async () => {
    folder = await createTemporaryFolder('single');
    cache = join(folder.path, 'cache');
    file = singleFileIn(folder.path);
  });
  after(() => folder.remove());

  const startIn = (dataDir: string, flags: readonly string[]): Promise<PurserProcess> =>
    startPurser({ dataDir, binary: file, flags, env: { XDG_CACHE_HOME: cache } });
  const run = (
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): SpawnSyncReturns<string> =>
    spawnSync(file, args, { env: { PATH: '/nowhere', XDG_CACHE_HOME: cache, ...env }, encoding: 'utf8' });

  it('sells, survives kill -9, restores its backup, and verifies', async () => {
    const dataDir = join(folder.path, 'data');
    const start = (flags: readonly string[]) => startIn(dataDir, flags);
    await new DemoShop({ dataDir, backup: join(folder.path, 'backup'), start, run }).prove();
  });

  it('mends what was damaged of its program, and says where it finds no folder for it', () => {
    const [unpacked] = readdirSync(join(cache, 'purser'));
    assert.ok(unpacked !== undefined);
    const program = join(cache, 'purser', unpacked, 'purser', 'dist', 'program');
    writeFileSync(join(program, 'program.js'), 'throw new Error("altered")');
    rmSync(join(program, 'worker.js'));
    const { status, stderr } = run(['--version']);
    assert.equal(status, 0, stderr);
    const nowhere = run(['--version'], { XDG_CACHE_HOME: '/proc/1', TMPDIR: '/proc/1' });
    assert.equal(nowhere.status, 1);
    assert.match(nowhere.stderr, /^error: purser finds no folder to unpack its program into \([^\n]+\n$/);
  });

  it('goes on in a cluster when the leader is killed', async (context) => {
    const trouble = await whyNoRig();
    if (trouble !== undefined) return context.skip(trouble);
    const rig = await PostgresRig.start();
    const env = { XDG_CACHE_HOME: cache };
    const nodes = new ClusterShop({ folder: folder.path, url: rig.url, binary: file, env });
    const dataDir = nodes.folderOf('a');
    const start = () => assert.fail('the cluster starts it');
    const shop = new DemoShop({ dataDir, backup: '', start, run });
    try {
      const alone = await startPurser({
        dataDir,
        binary: file,
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
    } finally {
      await nodes.close();
      await rig.close();
    }
  });
});
