/**
 * Run files of the stock that were damaged while the node was off, or while it runs: whoever asks for what lies there gets
 * 500, the log says which file and where, and `purser verify` fails. Everybody else is served as before, and never
 * anything else.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openEnvironment } from '../../../../src/persistence/lmdb/lmdb-environment.ts';
import { Compaction } from '../../../../src/persistence/runs/compaction.ts';
import { TAIL_BYTES } from '../../../../src/persistence/runs/run-format.ts';
import { readRunList, runFileName, runFilesIn } from '../../../../src/persistence/runs/run-list.ts';
import { openStockFile, STOCK_RUNS } from '../../../../src/persistence/stock/file/stock-file.ts';
import { randomDataKeys } from '../../../support/data-keys.ts';
import { randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { Ledger } from '../shop/ledger.ts';
import { assertRefuses, startOrRefuse, startServer } from '../shop/server-under-test.ts';
import { addProduct, enterUpload, sendUpload, setStage } from '../shop/stage.ts';
import { Traffic } from '../shop/traffic.ts';
import { SMALL_FILES } from '../shop/tuned-node.ts';
import { repeatAll, verified } from './answers.ts';
import { copyFolder, flipByte } from './damage.ts';

/** Each in a copy of the folder, and in a file at random. */
const FLIPS = roundsOr(20);
const random = randomFromEnvironment();

describe('damage to run files', { timeout: 1_200_000 }, () => {
  const ledger = new Ledger();
  let folder: TemporaryFolder;
  let original: string;
  let copies = 0;

  before(async () => {
    folder = await createTemporaryFolder('damaged-runs');
    original = join(folder.path, 'original');
    const server = await startServer({ dataDir: original, ...SMALL_FILES });
    await setStage(server, ledger, 400);
    await new Traffic(server, ledger, random, { workers: 8, maxPurchases: 300, restocks: false }).run();
    await server.stop();
    await moveAll(original);
  });
  after(() => folder.remove());

  const copied = () => {
    copies += 1;
    const copy = join(folder.path, `copy-${copies}`);
    copyFolder(original, copy);
    return copy;
  };

  test('a byte that has changed: a 500 and a line in the log, or an answer as before', async (t) => {
    t.diagnostic(`seed ${random.seed}`);
    const sound = await startServer({ dataDir: copied() });
    assert.deepEqual({ ...(await repeatAll(sound, ledger)) }, { failed: 0, different: [] });
    await sound.kill();
    let failed = 0;
    const files = runFilesIn(original).map((file) => basename(file));
    for (let flip = 0; flip < FLIPS; flip += 1) {
      const dataDir = copied();
      const name = random.pick(files);
      const path = join(dataDir, name);
      const place = random.between(0, statSync(path).size - 1);
      flipByte(path, place, random.between(1, 255));
      const what = `byte ${place} of ${name}`;
      const { isSound, error } = await verified(dataDir);
      assert.ok(!isSound && error.includes(name), `${what}: purser verify says ${error}`);
      const outcome = await startOrRefuse({ dataDir });
      if (typeof outcome === 'string') {
        assert.ok(outcome.includes(name), `${what}: refused with ${outcome}`);
        continue;
      }
      const answers = await repeatAll(outcome, ledger);
      await outcome.kill();
      assert.deepEqual(answers.different, [], what);
      failed += answers.failed;
      if (answers.failed > 0) assert.ok(outcome.process.output().includes(name), `${what}: the log names it`);
      rmSync(dataDir, { recursive: true });
    }
    t.diagnostic(`${failed} answers were 500`);
    assert.ok(failed > 0);
  });

  test('a file that is missing is refused by its name', async () => {
    const name = basename(random.pick(runFilesIn(original)));
    const dataDir = copied();
    rmSync(join(dataDir, name));
    const says = await assertRefuses({ dataDir });
    assert.ok(says.includes(name), says);
    assert.equal((await verified(dataDir)).isSound, false);
  });

  test('damage to texts while the node runs: what needs them is a 500, and all else is taken in and sold', async () => {
    const dataDir = copied();
    const server = await startServer({ dataDir });
    const [buyer] = ledger.buyers;
    const [upload] = ledger.uploads;
    assert.ok(buyer !== undefined && upload !== undefined);
    const { product } = upload;
    const buy = ({ productId, priceCents }: typeof product, key: string) =>
      server.buyers.purchase(buyer.apiKey, key, { productId, expectedPriceUsdt: priceCents / 100 });
    const others = new Ledger();
    const other = await addProduct(server, 100);
    const names = await damageRows(dataDir, 'items');

    for (let time = 0; time < 2; time += 1) {
      // As they were sent at first, they are compared with what is there.
      const again = await server.operator.addStock(product.productId, upload.items.join('\n'));
      assert.equal(again.status, 500, again.text);
      const sale = await buy(product, 'a damaged text');
      assert.equal(sale.status, 500, sale.text);
      await sendUpload(server, enterUpload(others, other, 10));
      const sold = await buy(other, `another text ${time}`);
      assert.equal(sold.status, 201, sold.text);
    }
    assert.ok(names.some((name) => server.process.output().includes(name)));
    await server.stop();
  });
});

/** Moves the rows that the node has left in its database, as it moves older ones: each table has run files then. */
async function moveAll(dataDir: string): Promise<void> {
  const { environment, tiers } = openStockFile(join(dataDir, 'stock.mdb'), randomDataKeys());
  const compaction = new Compaction(tiers, (work) => environment.transactionSync(work), { movedBytes: 1 });
  while (compaction.step());
  await environment.close();
}

/** Some bytes of each block of a table's run files change, without another file in their place. Gives the files' names. */
async function damageRows(dataDir: string, table: string): Promise<string[]> {
  const environment = openEnvironment(join(dataDir, 'stock.mdb'), { isReadOnly: true });
  const runs = readRunList(environment.table('meta')).runs.filter((run) => run.table === table);
  await environment.close();
  assert.ok(runs.length > 0);
  return runs.map(({ number }) => {
    const name = runFileName(STOCK_RUNS, number);
    const bytes = readFileSync(join(dataDir, name));
    // The end says what the file has, without which nobody opens it.
    const size = bytes.length - TAIL_BYTES;
    const end = size - bytes.readUInt32LE(size);
    for (let place = 0; place < end; place += 32) bytes[place] = (bytes[place] ?? 0) ^ 1;
    writeFileSync(join(dataDir, name), bytes);
    return name;
  });
}
