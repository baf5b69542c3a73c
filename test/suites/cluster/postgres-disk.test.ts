/**
 * PostgreSQL's disk fills up under load, and has room again later. Without room for tables the leader goes on to lead
 * and refuses purchases; without room for the write-ahead log the server itself ends, and nobody leads. Everything that
 * was acknowledged is there, once, in either case.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { randomFromEnvironment } from '../../support/random.ts';
import { runToEnd } from '../../support/servers/database-process.ts';
import { type PostgresRig, whyNoRig } from '../../support/servers/postgres-rig.ts';
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { send } from '../crash/shop/ledger.ts';
import type { ServerUnderTest } from '../crash/shop/server-under-test.ts';
import { ShopUnderFire } from './shop-under-fire.ts';

/** Longer than a lease, and than a leader waits until he tries again. */
const FULL_MS = 10_000;
const REFUSALS = 40;
const BUYERS = 8;
/** The pause of each buyer: their load is not what is tried here. */
const BETWEEN_MS = 50;
const PRIMARY = 0;
/** An empty server's tables have 30. */
const DISK_MEBIBYTES = 96;

const why = (await whyNoRig()) ?? whyNoSmallDisk();

describe("PostgreSQL's disk is full", { skip: why ?? false }, () => {
  const random = randomFromEnvironment();
  let place: TemporaryFolder;
  let tables: SmallDisk;
  let log: SmallDisk;
  let shop: ShopUnderFire;
  before(async () => {
    place = await createTemporaryFolder('server-disks');
    const [forTables, forLog] = ['tables', 'log'].map((name) => {
      const folder = join(place.path, name);
      mkdirSync(folder);
      return mountSmallDisk(folder, DISK_MEBIBYTES);
    });
    assert.ok(forTables && forLog);
    [tables, log] = [forTables, forLog];
    // The server is another user.
    chmodSync(place.path, 0o711);
    shop = await ShopUnderFire.open(random, async (rig) => {
      // The one has the tables, the other what commits are written to first.
      await moveToDisk(rig, 'base', tables.path);
      await moveToDisk(rig, 'pg_wal', log.path);
    });
  });
  after(async () => {
    await shop?.close();
    for (const disk of [tables, log]) disk?.unmount();
    await place?.remove();
  });

  test('no room for tables: purchases are refused with 500, until there is room', async (t) => {
    t.diagnostic(`seed ${random.seed}`);
    const { name, server } = await shop.leader();
    const { term } = await shop.nodes.statusOf(name);
    const statuses = await buyMeanwhile(server, FULL_MS, () => tables.fill());
    server.buyers.close();
    assert.ok((statuses.get(500) ?? 0) >= REFUSALS, JSON.stringify([...statuses]));
    tables.free();
    t.diagnostic(`somebody sells again ${seconds(await shop.untilSold())} s after there is room`);
    const now = await shop.nodes.statusOf(name);
    assert.deepEqual([now.role, now.term], ['leader', term], 'who has led has led on');
    await shop.audit();
    await shop.auditEvents();
  });

  test('no room for the write-ahead log: the server ends, and sells on when it is started again', async () => {
    const young = await shop.underLoad(async (leader) => {
      const { exited } = await shop.nodes.letEnd(leader);
      log.fill();
      await fillLog();
      const { code } = await exited;
      assert.ok(code !== 0 && code !== null, `node ${leader} ended by itself with ${code}`);
      log.free();
      await shop.rig.startServer(PRIMARY);
      await shop.untilSold();
      await shop.nodes.start(leader);
    });
    await shop.audit(young);
    await shop.auditEvents();
  });

  test('all folders have the same state, and are what the log says', async (t) => {
    await shop.audit();
    t.diagnostic(await shop.nodes.verify());
  });

  /**
   * The number of answers of each status. A small write may find room for a while, so the disk is filled again and
   * again.
   */
  async function buyMeanwhile({ buyers }: ServerUnderTest, ms: number, fill: () => void) {
    const statuses = new Map<number, number>();
    const untilMs = performance.now() + ms;
    const buy = async () => {
      while (performance.now() < untilMs) {
        const { status, body, text } = await send(buyers, shop.newAttempt());
        assert.ok(status === 201 || body.error === 'INTERNAL_ERROR', text);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        fill();
        await delay(BETWEEN_MS);
      }
    };
    await Promise.all(Array.from({ length: BUYERS }, buy));
    return statuses;
  }

  /** Until there is no room for another file of it; a file has 16 MiB. */
  async function fillLog(): Promise<void> {
    const text = `SELECT pg_logical_emit_message(false, 'purser-test', repeat('x', 1000000))`;
    for (let mebibyte = 0; mebibyte < 64; mebibyte += 1) {
      const isThere = await shop.rig.ask(PRIMARY, text).then(
        () => true,
        () => false,
      );
      if (!isThere) return;
    }
    assert.fail('the write-ahead log still has room');
  }
});

/** One folder of the primary, which is stopped in order meanwhile. */
async function moveToDisk(rig: PostgresRig, folder: string, path: string): Promise<void> {
  const place = join(rig.servers[PRIMARY]?.data ?? '', folder);
  await rig.kill(PRIMARY, 'SIGINT');
  // With its owners and modes.
  await runToEnd({ program: '/bin/cp', args: ['-a', place, path] });
  rmSync(place, { recursive: true });
  symlinkSync(join(path, folder), place);
  await rig.startServer(PRIMARY);
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}
