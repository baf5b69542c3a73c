/**
 * Data folders that were damaged, of which a server must serve none but as it was (DESIGN.md, the promise).
 *
 * For damage there are two right outcomes: refuse to start with one line for the operator, or serve exactly
 * what was there before. Serving anything else, or ending in a signal, is the failure. Which files a folder
 * holds is the server's affair: whatever lies there after real traffic gets damaged.
 *
 * The nodes start in one process after the other; what they refuse `purser` itself refuses too, of which there is
 * an example. The short form makes a sample of the damage, the long one (PURSER_TEST_LONG) much more of it.
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isLongRun, randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { audit, buyOut } from './audit.ts';
import { copyFolder, type Damage, planDamage, planLosses, sampleDamage } from './damage.ts';
import { Ledger } from './ledger.ts';
import { NodeHost } from './node-host.ts';
import { type ServerUnderTest, startServer } from './server-under-test.ts';
import { setStage } from './stage.ts';
import { startOrRefuse } from './start-refusal.ts';
import { Traffic } from './traffic.ts';

const random = randomFromEnvironment();
const perFile = isLongRun() ? { flips: 40, cuts: 8 } : { flips: 4, cuts: 1 };
/** Every start on a damaged copy looks all of them up. */
const purchases = isLongRun() ? 100 : 25;
/** In the short form so many of the planned kinds of damage are tried, other ones every time. */
const sampleSize = 4;
const ENDS = ['stopped', 'killed'] as const;
type End = (typeof ENDS)[number];

describe('damage to a data folder', { timeout: isLongRun() ? 7_200_000 : 600_000 }, () => {
  const ledger = new Ledger();
  const nodes = new NodeHost();
  let folder: TemporaryFolder;
  /** In the short form a half of the files; the others are missing after the server was stopped. */
  let lossesWhenKilled: readonly Damage[];
  let copies = 0;

  before(async () => {
    folder = await createTemporaryFolder('damage');
    await makeKilled(join(folder.path, 'killed'), ledger);
    copyFolder(join(folder.path, 'killed'), join(folder.path, 'stopped'));
    await (await nodes.start({ dataDir: join(folder.path, 'stopped') })).stop();
    const all = planLosses(join(folder.path, 'killed'));
    lossesWhenKilled = isLongRun() ? all : random.sample(all, Math.floor(all.length / 2));
  });
  after(async () => {
    await nodes.close();
    await folder.remove();
  });

  for (const end of ENDS) {
    const refused: Damage[] = [];

    test(`a server that was ${end}, its folder unharmed, serves everything from a copy`, async () => {
      const outcome = await onCopy(end, undefined, (dataDir) => nodes.startOrRefuse({ dataDir }));
      assert.equal(outcome, 'served as before');
    });

    test(`whatever file is damaged after a server was ${end}: refused, or served as before`, async (t) => {
      t.diagnostic(`seed ${random.seed}`);
      const all = planDamage(join(folder.path, end), random, perFile.flips, perFile.cuts);
      assert.ok(all.length > 0, 'the folder holds nothing that could be damaged');
      const plan = isLongRun() ? all : sampleDamage(all, random, sampleSize);
      refused.push(...(await tryAll(end, plan)));
      t.diagnostic(`${plan.length} kinds of damage, ${refused.length} of them refused`);
    });

    test(`a file that is missing after a server was ${end}: refused, or served as before`, async () => {
      const files = lossesWhenKilled.map(({ file }) => file);
      const whenStopped = planLosses(join(folder.path, end)).filter(
        ({ file }) => isLongRun() || !files.includes(file),
      );
      const missing = await tryAll(end, end === 'killed' ? lossesWhenKilled : whenStopped);
      if (isLongRun()) assert.notDeepEqual(missing, [], 'every file could be missing');
      refused.push(...missing);
      await purserRefuses(end, refused);
    });
  }

  /** Holds for one of them: its exit code, and one line that says why. */
  async function purserRefuses(end: End, refused: readonly Damage[]): Promise<void> {
    const [damage] = random.sample(refused, 1);
    // In the short form half of the files may hold none that is needed.
    if (damage === undefined) return;
    const outcome = await onCopy(end, damage, (dataDir) => startOrRefuse({ dataDir }));
    assert.notEqual(outcome, 'served as before', `${damage.file}, ${damage.what}: purser starts`);
  }

  /** Fails when one of them has another outcome than the two right ones; returns those that were refused. */
  async function tryAll(end: End, plan: readonly Damage[]): Promise<Damage[]> {
    const failures: string[] = [];
    const refused: Damage[] = [];
    for (const damage of plan) {
      try {
        const outcome = await onCopy(end, damage, (dataDir) => nodes.startOrRefuse({ dataDir }));
        if (outcome !== 'served as before') refused.push(damage);
      } catch (error) {
        failures.push(`${damage.file}, ${damage.what}: ${error instanceof Error ? error.message : error}`);
      }
    }
    assert.deepEqual(failures, []);
    return refused;
  }

  /** Resolves with the line of a refusal, or when everything was served. */
  async function onCopy(
    end: End,
    damage: Damage | undefined,
    start: (dataDir: string) => Promise<ServerUnderTest | string>,
  ): Promise<string> {
    copies += 1;
    const copy = join(folder.path, `copy-${copies}`);
    copyFolder(join(folder.path, end), copy);
    try {
      damage?.apply(copy);
      const outcome = await start(copy);
      if (typeof outcome === 'string') return outcome;
      await assertUnharmed(outcome, ledger);
      return 'served as before';
    } finally {
      rmSync(copy, { recursive: true });
    }
  }
});

/** Real traffic, and then the end of the server. */
async function makeKilled(dataDir: string, ledger: Ledger): Promise<void> {
  const server = await startServer({ dataDir });
  try {
    await setStage(server, ledger, 150);
    await new Traffic(server, ledger, random, { workers: 8, maxPurchases: purchases, restocks: false }).run();
  } finally {
    await server.kill();
  }
}

/** Everything is as the ledger says, down to the last item on the shelf. Ends the server. */
async function assertUnharmed(server: ServerUnderTest, ledger: Ledger): Promise<void> {
  try {
    await audit(server, ledger);
    await buyOut(server, ledger);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`served something else: ${message}\n${server.process.output().slice(-2_000)}`);
  } finally {
    await server.kill();
  }
}
