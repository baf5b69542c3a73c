import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { DamagedFileError } from '../../src/persistence/lmdb/damaged-file.ts';
import { openEnvironment } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { blockKey, ITEMS_PER_BLOCK } from '../../src/persistence/stock/file/stock-block.ts';
import { DamagedRowError } from '../../src/persistence/stock/stock-errors.ts';
import { numbered, StockScene } from './stock-scene.ts';

const PRODUCT = 7;
const OTHER = 8;
/** A whole block of them, and some of the next. */
const items = numbered('item', ITEMS_PER_BLOCK + 36);
const end = items.length;

describe('a damaged stock file', () => {
  let scene: StockScene;

  beforeEach(async () => {
    scene = await StockScene.open();
    await scene.upload(PRODUCT, items);
    await scene.upload(OTHER, items);
  });
  afterEach(() => scene.close());

  /** Changes a table behind the store's back. Without a key, its first row. */
  async function changeRow(
    table: string,
    key: Buffer | undefined,
    change: (value: Buffer) => Buffer | undefined,
  ) {
    await scene.closeStore();
    const environment = openEnvironment(scene.file);
    const rows = environment.table(table);
    const row = key ?? [...rows.getKeys({ limit: 1 })][0];
    const value = row === undefined ? undefined : rows.get(row);
    assert(row !== undefined && value !== undefined);
    const changed = change(Buffer.from(value));
    if (changed === undefined) rows.removeSync(row);
    else rows.putSync(row, changed);
    await environment.close();
  }

  const flip = (index: number) => (value: Buffer) => {
    const at = index < 0 ? value.length + index : index;
    value[at] = (value[at] ?? 0) ^ 0x20;
    return value;
  };

  for (const index of [0, 4, 16, 500, -1]) {
    test(`a byte of a block (${index}) is noticed, and the other blocks are read`, async () => {
      await changeRow('items', blockKey(PRODUCT, 0), flip(index));
      await scene.reopen();
      assert.throws(
        () => scene.store.readItems(PRODUCT, ITEMS_PER_BLOCK - 1, 1, end),
        (error) => error instanceof DamagedRowError && error.message.startsWith('block 0 of product 7: '),
      );
      assert.deepEqual(
        scene.store.readItems(PRODUCT, ITEMS_PER_BLOCK, 36, end),
        items.slice(ITEMS_PER_BLOCK),
      );
      assert.deepEqual(scene.read(OTHER), items);
    });
  }

  test("a product's block in the place of another's is noticed", async () => {
    let others = Buffer.alloc(0);
    await changeRow('items', blockKey(OTHER, 1), (value) => {
      others = Buffer.from(value);
      return value;
    });
    await changeRow('items', blockKey(PRODUCT, 1), () => others);
    await scene.reopen();
    assert.throws(() => scene.store.readItems(PRODUCT, ITEMS_PER_BLOCK, 1, end), DamagedRowError);
  });

  test('an upload that would go on from a damaged or missing block is refused, others are not', async () => {
    await changeRow('items', blockKey(PRODUCT, 1), flip(30));
    await scene.reopen();
    await assert.rejects(scene.upload(PRODUCT, 'new'), DamagedRowError);
    await changeRow('items', blockKey(PRODUCT, 1), () => undefined);
    await scene.reopen();
    await assert.rejects(scene.upload(PRODUCT, 'new'), /has no text for its item/);
    assert.deepEqual(await scene.upload(OTHER, 'new\nitem-3'), { firstItem: end, added: 1, duplicates: 1 });
  });

  for (const index of [0, 5, 9]) {
    test(`a byte of a fingerprint's row (${index}) is noticed by an upload of that text`, async () => {
      await changeRow('fingerprints', undefined, flip(index));
      await scene.reopen();
      await assert.rejects(
        scene.upload(PRODUCT, items),
        (error) => error instanceof DamagedRowError && error.message.startsWith('fingerprint '),
      );
      assert.deepEqual(await scene.upload(PRODUCT, 'new'), { firstItem: end, added: 1, duplicates: 0 });
    });
  }

  test('is not opened without what tells its master key, or in a later format', async () => {
    const key = Buffer.from('master-key');
    let good = Buffer.alloc(0);
    await changeRow('meta', key, (value) => {
      good = Buffer.from(value);
      return flip(-1)(value);
    });
    await assert.rejects(scene.reopen(), DamagedFileError);
    await changeRow('meta', key, () => good);
    await changeRow('meta', Buffer.from('format'), () => Buffer.from([5]));
    await assert.rejects(
      scene.reopen(),
      (error) => error instanceof DamagedFileError && error.message.includes('has format 05'),
    );
  });
});
