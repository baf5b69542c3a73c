/**
 * The stock file and its keys: texts are sealed anew in bites that can stop anywhere, and what an unknown ring sealed is
 * never passed over.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { KEY_BYTES } from '../../src/persistence/disk/data-keys.ts';
import { hasTexts } from '../../src/persistence/folder/folder-check.ts';
import { checkLmdbFile } from '../../src/persistence/lmdb/lmdb-file.ts';
import { StockCheck } from '../../src/persistence/stock/file/stock-check.ts';
import { openStockFile } from '../../src/persistence/stock/file/stock-file.ts';
import { FIRST_PLACE, type ResealPlace } from '../../src/persistence/stock/resealing.ts';
import { numbered, StockScene } from './stock-scene.ts';

const PRODUCT = 3;
const ORDER = 9;

describe('the keys of stock', () => {
  let scene: StockScene;
  before(async () => {
    scene = await StockScene.open();
  });
  after(() => scene.close());

  const checkOwn = () => checkLmdbFile(scene.file, new StockCheck(scene.keys).row);

  /** How many rows are sealed with an older key, by reading the file. */
  async function oldRows(): Promise<number> {
    const file = openStockFile(scene.file, scene.keys);
    let old = 0;
    for (const table of ['items', 'deliveries'] as const) {
      for (const { value } of file[table].getRange({})) old += Number(file.cipher.isOld(value));
    }
    await file.environment.close();
    return old;
  }

  test('a file without a text needs no ring, one with texts does', async () => {
    assert.equal(hasTexts(dirname(scene.file)), false);
    await scene.upload(PRODUCT, numbered('code', 20_000));
    await scene.store.orderTexts.write(ORDER, ['by hand']);
    assert.equal(hasTexts(dirname(scene.file)), true);
    checkOwn();
  });

  test('texts are sealed anew in bites, while others are read and uploaded', async () => {
    const rows = await scene.store.sealedRows();
    scene.keys.add(randomBytes(KEY_BYTES));
    assert.equal(await oldRows(), rows);
    let looked = 0;
    let place: ResealPlace | undefined = FIRST_PLACE;
    while (place !== undefined && looked < rows / 2) {
      const done = await scene.store.reseal(place);
      looked += done.rows;
      place = done.next;
    }
    const left = await oldRows();
    assert.ok(left > 0 && left < rows, `${left} of ${rows} are left`);
    assert.deepEqual(scene.read(PRODUCT), numbered('code', 20_000));
    await scene.upload(PRODUCT, 'new');

    // As after a crash: from the beginning, and what is done is passed over.
    await scene.reopen();
    assert.equal(await scene.resealAll(), await scene.store.sealedRows());
    assert.equal(await oldRows(), 0);
    await scene.reopen();
    assert.deepEqual(scene.read(PRODUCT), [...numbered('code', 20_000), 'new']);
    assert.deepEqual(scene.store.readOrderTexts(ORDER, 1), ['by hand']);
    const again = await scene.upload(PRODUCT, 'code-1');
    assert.deepEqual([again.added, again.duplicates], [0, 1], 'fingerprints are found as before');
    checkOwn();
  });
});
