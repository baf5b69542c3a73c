/**
 * Data folders that were damaged, of which a server must serve none but as it was (DESIGN.md, the promise).
 *
 * For damage there are two right outcomes: refuse to start with one line for the operator, or serve exactly
 * what was there before. Serving anything else, or ending in a signal, is the failure. Which files a folder
 * holds is the server's affair: whatever lies there after real traffic gets damaged, but for files of old rows, of which
 * a start reads only what it needs (`damaged-checkpoint.test.ts`, `damaged-runs.test.ts`).
 */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { audit, buyOut } from '../shop/audit.ts';
import { Ledger } from '../shop/ledger.ts';
import { type ServerUnderTest, startOrRefuse, startServer } from '../shop/server-under-test.ts';
import { setStage } from '../shop/stage.ts';
import { Traffic } from '../shop/traffic.ts';
import { copyFolder, type Damage, planDamage } from './damage.ts';

const random = randomFromEnvironment();
/** Flips in each file. */
const FLIPS = 4;
/** The number of damages that are tried, of all kinds, other ones every time. */
const SAMPLE = roundsOr(30);
const IS_OLD = /^(checkpoint\/\d+\.tbl|stock-\d+\.run),/;
/** Every start on a damaged copy looks all of them up. */
const PURCHASES = 25;

describe(`damage to a data folder (seed ${random.seed})`, { timeout: 1_800_000 }, () => {
  const ledger = new Ledger();
  let folder: TemporaryFolder;
  let copies = 0;

  before(async () => {
    folder = await createTemporaryFolder('damage');
    const dataDir = join(folder.path, 'killed');
    const server = await startServer({ dataDir });
    try {
      await setStage(server, ledger, 150);
      const options = { workers: 8, maxPurchases: PURCHASES, restocks: false };
      await new Traffic(server, ledger, random, options).run();
    } finally {
      await server.kill();
    }
    copyFolder(dataDir, join(folder.path, 'stopped'));
    await (await startServer({ dataDir: join(folder.path, 'stopped') })).stop();
  });
  after(() => folder.remove());

  for (const end of ['stopped', 'killed']) {
    test(`a server that was ${end}, its folder unharmed, serves everything from a copy`, async () => {
      assert.equal(await outcomeOf(end, undefined), 'served as before');
    });

    test(`whatever file is damaged or missing after a server was ${end}: refused, or served as before`, async (t) => {
      const all = planDamage(join(folder.path, end), random, FLIPS).filter(({ what }) => !IS_OLD.test(what));
      const failures: string[] = [];
      let refused = 0;
      for (const damage of random.sample(all, SAMPLE)) {
        try {
          if ((await outcomeOf(end, damage)) !== 'served as before') refused += 1;
        } catch (error) {
          failures.push(`${damage.what}: ${error instanceof Error ? error.message : error}`);
        }
      }
      assert.deepEqual(failures, []);
      t.diagnostic(`${SAMPLE} of ${all.length} kinds of damage, ${refused} of them refused`);
    });
  }

  /** Resolves with the line of a refusal, or when everything was served. */
  async function outcomeOf(end: string, damage: Damage | undefined): Promise<string> {
    copies += 1;
    const copy = join(folder.path, `copy-${copies}`);
    copyFolder(join(folder.path, end), copy);
    try {
      damage?.apply(copy);
      const outcome = await startOrRefuse({ dataDir: copy });
      if (typeof outcome === 'string') return outcome;
      await assertUnharmed(outcome);
      return 'served as before';
    } finally {
      rmSync(copy, { recursive: true });
    }
  }

  /** Everything is as the ledger says, down to the last item on the shelf. Ends the server. */
  async function assertUnharmed(server: ServerUnderTest): Promise<void> {
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
});
