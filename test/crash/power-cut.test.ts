/**
 * The power goes while buyers buy: what was written and not synced is lost, files and names alike, and every
 * order that was acknowledged is there at the next boot.
 *
 * The cut falls between two system calls of the stopped server: a sync under way ends before it. The torn pages
 * of a sync that doesn't end are LMDB's affair; it refers to none before they are synced.
 */
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { syncFolderOf } from '../../src/persistence/disk/durable-file.ts';
import { isLongRun, type Random, randomFromEnvironment } from '../support/random.ts';
import { purserEntry } from '../support/repository-root.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { audit } from './audit.ts';
import { Ledger } from './ledger.ts';
import { PowerCutDisk, whyNoPowerCut } from './power-cut-disk.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { smallSegmentsEntry } from './small-segments.ts';
import { assertSound, assertVerified } from './sound-folder.ts';
import { setStage } from './stage.ts';
import { Traffic } from './traffic.ts';

const rounds = isLongRun() ? 15 : 1;
const diskMegabytes = 128;
/** Answered in every round before the time to the cut begins: a machine that stands still is no load. */
const purchasesPerRound = 12;
/** A sync on a slow disk takes seconds. */
const settleMs = 30_000;

describe('a power cut', { skip: whyNoPowerCut() ?? false, timeout: 600_000 + rounds * 60_000 }, () => {
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

  test('right after the first start leaves a data folder that is whole', async (t) => {
    const { disk, cut, start } = await makeMachine(t);
    const place = ['deep', 'down', 'data'];
    const server = await start({ dataDir: join(disk.path, ...place) });
    const ledger = new Ledger();
    await setStage(server, ledger, 10);
    const after = await cut(() => server.kill());
    const dataDir = join(after.path, ...place);
    await assertVerified(dataDir);
    const next = await start({ dataDir });
    await audit(next, ledger);
    await next.stop();
  });

  for (const { what, entry } of [
    { what: '', entry: purserEntry() },
    { what: ', the journal in many segments', entry: smallSegmentsEntry },
  ]) {
    test(`takes back no order that was acknowledged, ${rounds} times${what}`, async (t) => {
      const random = randomFromEnvironment();
      t.diagnostic(`seed ${random.seed}`);
      let { disk, cut, start } = await makeMachine(t);
      const ledger = new Ledger();
      let server = await start({ dataDir: join(disk.path, 'data'), entry });
      await setStage(server, ledger, 1_000);
      for (let round = 1; round <= rounds; round += 1) {
        const known = ledger.attempts.length;
        disk = await cutUnderLoad(server, ledger, random, cut);
        const young = ledger.attempts.slice(known);
        t.diagnostic(`round ${round}: ${young.filter(({ answer }) => answer).length} answers`);
        const dataDir = join(disk.path, 'data');
        await assertSound(dataDir);
        server = await start({ dataDir, entry });
        await audit(server, ledger, young);
      }
      assert.ok(ledger.orders().length >= rounds * purchasesPerRound, 'there was hardly any load');
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
  process.kill(server.process.pid, 'SIGSTOP');
  await untilStopped(server.process.pid);
  return cut(async () => {
    await server.kill();
    await running;
  });
}

/** System calls that the stopped server had begun are over: a thread stops behind its own. */
async function untilStopped(pid: number): Promise<void> {
  const deadlineMs = performance.now() + settleMs;
  while (!statesOf(pid).every((state) => state === 'T')) {
    assert.ok(performance.now() < deadlineMs, `still busy: ${statesOf(pid)}`);
    await delay(5);
  }
}

/** A letter for each thread, as in proc(5). */
function statesOf(pid: number): string[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).map((task) => {
    try {
      // The name in brackets may hold anything.
      const stat = readFileSync(join(tasks, task, 'stat'), 'utf8');
      return stat.slice(stat.lastIndexOf(')') + 2).charAt(0);
    } catch {
      return 'ended meanwhile';
    }
  });
}
