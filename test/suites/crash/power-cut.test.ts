/**
 * The power goes while buyers buy: what was written and not synced is lost, files and names alike, and every
 * order that was acknowledged is there at the next boot. The short form has two cuts under load on one folder, the second
 * with small segments of the journal; the long one (PURSER_TEST_LONG) 15 of each, on folders of their own.
 *
 * The cut falls between two system calls of the stopped server: a sync under way ends before it. The torn pages
 * of a sync that doesn't end are LMDB's affair; it refers to none before they are synced.
 */
import assert from 'node:assert/strict';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { syncFolderOf } from '../../../src/persistence/disk/durable-file.ts';
import type { StartPurserOptions } from '../../support/purser-process.ts';
import { isLongRun, type Random, randomFromEnvironment } from '../../support/random.ts';
import { stopProcess } from '../../support/stopped-process.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { audit } from './audit.ts';
import { Ledger } from './ledger.ts';
import { PowerCutDisk, whyNoPowerCut } from './power-cut-disk.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { assertSound } from './sound-folder.ts';
import { setStage } from './stage.ts';
import { Traffic } from './traffic.ts';
import { SMALL_FILES } from './tuned-node.ts';

/** What a server under load is, cut by cut. */
type Entry = Pick<StartPurserOptions, 'entry' | 'env'>;
const USUAL: Entry = {};
const PLANS: readonly { readonly segments: string; readonly entries: readonly Entry[] }[] = isLongRun()
  ? [
      { segments: 'of the usual size', entries: Array(15).fill(USUAL) },
      { segments: 'that are many', entries: Array(15).fill(SMALL_FILES) },
    ]
  : [{ segments: 'of the usual size, and then many', entries: [USUAL, SMALL_FILES] }];
const diskMegabytes = 128;
/** Answered in every round before the time to the cut begins: a machine that stands still is no load. */
const purchasesPerRound = 12;

describe('a power cut', {
  skip: whyNoPowerCut() ?? false,
  timeout: isLongRun() ? 2_400_000 : 600_000,
}, () => {
  test('loses what was not synced, or this proves nothing', async (t) => {
    const { disk, cut } = await makeMachine(t);
    const contents = 'x'.repeat(100_000);
    const file = (name: string) => join(disk.path, name);
    const descriptor = openSync(file('synced'), 'w');
    writeSync(descriptor, contents);
    fsyncSync(descriptor);
    syncFolderOf(file('synced'));
    writeSync(descriptor, contents);
    closeSync(descriptor);
    writeFileSync(file('only written'), contents);
    const after = await cut(async () => {});
    assert.equal(readFileSync(join(after.path, 'synced'), 'utf8'), contents);
    assert.equal(existsSync(join(after.path, 'only written')), false);
  });

  for (const { segments, entries } of PLANS) {
    const title = `right after the first start, and then ${entries.length} under load: all that was acknowledged is there, the journal in segments ${segments}`;
    test(title, async (t) => {
      const random = randomFromEnvironment();
      t.diagnostic(`seed ${random.seed}`);
      const { disk: first, cut, start } = await makeMachine(t);
      const dataDirOn = (disk: PowerCutDisk) => join(disk.path, 'deep', 'down', 'data');
      const ledger = new Ledger();
      let server = await start({ dataDir: dataDirOn(first) });
      await setStage(server, ledger, 1_000);
      let disk = await cut(() => server.kill());
      await assertSound(dataDirOn(disk));
      server = await start({ dataDir: dataDirOn(disk), ...entries[0] });
      await audit(server, ledger);
      for (const [round, entry] of entries.entries()) {
        const known = ledger.attempts.length;
        disk = await cutUnderLoad(server, ledger, random, cut);
        const young = ledger.attempts.slice(known);
        t.diagnostic(`round ${round + 1}: ${young.filter(({ answer }) => answer).length} answers`);
        await assertSound(dataDirOn(disk));
        server = await start({ dataDir: dataDirOn(disk), ...(entries[round + 1] ?? entry) });
        await audit(server, ledger, young);
      }
      assert.ok(ledger.orders().length >= entries.length * purchasesPerRound, 'there was hardly any load');
      await audit(server, ledger);
      await server.stop();
    });
  }
});

type Cut = (end: () => Promise<void>) => Promise<PowerCutDisk>;

interface Machine {
  readonly disk: PowerCutDisk;
  /** Goes on with the disk that the cut before has left. */
  readonly cut: Cut;
  readonly start: typeof startServer;
}

/** After the test its servers are killed and its last disk is removed. */
async function makeMachine(t: TestContext): Promise<Machine> {
  const servers: ServerUnderTest[] = [];
  const folder = await createTemporaryFolder('power-cut');
  const disk = PowerCutDisk.make(folder.path, diskMegabytes);
  let current = disk;
  const cut: Cut = async (end) => {
    current = await current.cut(end);
    return current;
  };
  const start: typeof startServer = async (options) => {
    const server = await startServer(options);
    servers.push(server);
    return server;
  };
  t.after(async () => {
    for (const server of servers) await server.kill();
    current.remove();
    await folder.remove();
  });
  return { disk, cut, start };
}

async function cutUnderLoad(
  server: ServerUnderTest,
  ledger: Ledger,
  random: Random,
  cut: Cut,
): Promise<PowerCutDisk> {
  const traffic = new Traffic(server, ledger, random, { workers: 16, maxPurchases: 1_000, restocks: true });
  const running = traffic.run();
  await traffic.untilAcknowledged(purchasesPerRound);
  await Promise.race([running, delay(random.between(50, isLongRun() ? 900 : 300))]);
  traffic.expectTheEnd();
  await stopProcess(server.process.pid);
  return cut(async () => {
    await server.kill();
    await running;
  });
}
