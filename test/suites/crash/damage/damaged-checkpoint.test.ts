/**
 * Files of the checkpoint that were damaged while the node was off, or while it runs: a start is refused by one line with
 * the file's name, or each answer is as before, or an error, and the log names the file. `purser verify` finds it, before
 * and after a node has run on it.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { CHECKPOINT_FOLDER, checkpointIn } from '../../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { TABLES } from '../../../../src/persistence/checkpoint/tables.ts';
import { openLogReader } from '../../../../src/persistence/journal/open-log.ts';
import { readFileList, tablePath } from '../../../../src/persistence/store/file-list.ts';
import type { StoreTable } from '../../../../src/persistence/store/store-table.ts';
import { TableFile } from '../../../../src/persistence/store/table-file.ts';
import { eventually } from '../../../support/eventually.ts';
import { randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { Ledger } from '../shop/ledger.ts';
import { startOrRefuse, startServer } from '../shop/server-under-test.ts';
import { setStage } from '../shop/stage.ts';
import { Traffic } from '../shop/traffic.ts';
import { tunedNode } from '../shop/tuned-node.ts';
import { buyOnce, OperatorAnswers, repeatAll, verified } from './answers.ts';
import { copyFolder, type Damage, planDamage } from './damage.ts';

/** In each file. */
const FLIPS = roundsOr(6);
const SOUND = { failed: 0, different: [] };
const random = randomFromEnvironment();
const told = `PURSER_TEST_SEED=${random.seed}`;
const FOLDS = tunedNode({ foldIntervalMs: 200, segmentBytes: 8 * 1024 });
/** What is sold is in the journal alone. */
const FOLDS_NOTHING = tunedNode({ foldIntervalMs: 24 * 3600 * 1000 });

describe('damage to the checkpoint', { timeout: 1_200_000 }, () => {
  const ledger = new Ledger();
  let folder: TemporaryFolder;
  let original: string;
  let answers: OperatorAnswers;
  let copies = 0;

  const copied = () => {
    copies += 1;
    const copy = join(folder.path, `copy-${copies}`);
    copyFolder(original, copy);
    return copy;
  };

  before(async () => {
    folder = await createTemporaryFolder('damaged-checkpoint');
    original = join(folder.path, 'original');
    const folding = await startServer({ dataDir: original, ...FOLDS });
    await setStage(folding, ledger, 400);
    await new Traffic(folding, ledger, random, { workers: 8, maxPurchases: 200, restocks: false }).run();
    await folding.stop();
    await mergeAll(original);
    const server = await startServer({ dataDir: original, ...FOLDS_NOTHING });
    await new Traffic(server, ledger, random, { workers: 8, maxPurchases: 30, restocks: false }).run();
    await server.kill();
    const sound = await startServer({ dataDir: copied() });
    answers = await OperatorAnswers.of(sound, ledger, Date.now());
    await sound.stop();
  });
  after(() => folder.remove());

  test('a sound one gives all answers again', async (t) => {
    const dataDir = copied();
    const sound = await startServer({ dataDir });
    t.after(() => sound.kill());
    assert.deepEqual({ ...(await repeatAll(sound, ledger)) }, SOUND);
    assert.deepEqual({ ...(await answers.askAgain(sound)) }, SOUND);
    assert.deepEqual({ ...(await buyOnce(sound, ledger)) }, SOUND);
    await sound.stop();
    assert.deepEqual(await verified(dataDir), { isSound: true, error: '' });
  });

  test(`each file, gone, emptied, cut short, or with a byte changed (${told})`, async (t) => {
    const damages = planDamage(original, random, FLIPS).filter(({ what }) =>
      what.startsWith(`${CHECKPOINT_FOLDER}/`),
    );
    const failures: string[] = [];
    const counts = { refused: 0, served: 0, errors: 0 };
    for (const damage of damages) {
      try {
        const errors = await errorsAfter(damage);
        if (errors === 'refused') counts.refused += 1;
        else {
          counts.served += 1;
          counts.errors += errors;
        }
      } catch (error) {
        failures.push(`${damage.what}: ${error instanceof Error ? error.message : error}`);
      }
    }
    assert.deepEqual(failures, []);
    t.diagnostic(`of ${damages.length} damages: ${JSON.stringify(counts)}`);
    assert.ok(counts.refused > 0 && counts.served > 0);
  });

  /** How many answers were errors, or that the start was refused. */
  async function errorsAfter(damage: Damage): Promise<number | 'refused'> {
    const dataDir = copied();
    damage.apply(dataDir);
    const name = basename(damage.what.split(',')[0] ?? '');
    await assertFound(dataDir, name);
    const server = await startOrRefuse({ dataDir, ...FOLDS });
    if (typeof server === 'string') {
      assert.ok(server.includes(name), `refused with ${server}`);
      rmSync(dataDir, { recursive: true });
      return 'refused';
    }
    try {
      let errors = 0;
      for (const ask of [repeatAll, () => answers.askAgain(server), buyOnce]) {
        const { failed, different } = await ask(server, ledger);
        assert.deepEqual(different, []);
        errors += failed;
      }
      if (errors > 0) assert.ok(server.process.output().includes(name), 'the log names it');
      await server.stop();
      await assertFound(dataDir, name);
      rmSync(dataDir, { recursive: true });
      return errors;
    } finally {
      await server.kill();
    }
  }

  test('one that a fold needs, damaged while the node runs: the log says why it waits, and sales go on', async (t) => {
    const dataDir = copied();
    await (await startServer({ dataDir })).stop();
    const server = await startServer({ dataDir, ...FOLDS });
    t.after(() => server.kill());
    const names = damageRows(dataDir, TABLES.accounts);
    const [buyer] = ledger.buyers;
    const [product] = ledger.products;
    assert.ok(buyer !== undefined && product !== undefined);
    const body = { productId: product.productId, expectedPriceUsdt: product.priceCents / 100 };
    let sales = 0;
    await eventually('the log says why', async () => {
      const sale = await server.buyers.purchase(buyer.apiKey, `sale ${sales}`, body);
      assert.equal(sale.status, 201, sale.text);
      sales += 1;
      const why = server.process
        .output()
        .split('\n')
        .find((line) => line.includes('the checkpoint waits'));
      if (why === undefined) return false;
      assert.ok(names.some((name) => why.includes(name)) && why.includes('restore a backup'), why);
      return true;
    });
    assert.deepEqual({ ...(await repeatAll(server, ledger)) }, SOUND, 'what lies elsewhere is answered');
    await server.stop();
    const refusal = await startOrRefuse({ dataDir });
    assert.ok(typeof refusal === 'string' && names.some((name) => refusal.includes(name)), String(refusal));
  });
});

async function assertFound(dataDir: string, name: string): Promise<void> {
  const { isSound, error } = await verified(dataDir);
  assert.ok(!isSound && error.includes(name), `purser verify says: ${error || 'no errors found'}`);
}

/** Few files, so that each can be damaged in each way. */
async function mergeAll(dataDir: string): Promise<void> {
  const fold = new CheckpointFold(checkpointIn(dataDir), openLogReader(dataDir));
  while (fold.mergePart());
  await fold.close();
}

/** A byte of each block of a table changes, without another file in their place. Gives the files' names. */
function damageRows(dataDir: string, table: StoreTable): string[] {
  const store = checkpointIn(dataDir);
  return readFileList(store).files.flatMap((listed) => {
    const path = tablePath(store, listed.number);
    const file = new TableFile(path, listed);
    const bytes = readFileSync(path);
    const part = file.part(table);
    if (part === undefined) return [];
    for (
      let place = file.placeOf(table, part.firstA, part.firstB);
      file.names(place.top).tables[place.at] === table.number;
    ) {
      const { offset } = file.names(place.top).extent(place.at);
      bytes[offset] = (bytes[offset] ?? 0) ^ 1;
      const next = file.next(place);
      if (next === undefined) break;
      place = next;
    }
    file.close();
    writeFileSync(path, bytes);
    return [basename(path)];
  });
}
