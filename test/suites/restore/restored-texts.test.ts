/**
 * Texts of a backup with facts that `restored-shop.test.ts` does not make: late deliveries, items that were set aside, orders
 * that a receipt completes; backups that lack texts; and fingerprints of more texts than are sorted at once.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Fact } from '../../../src/engine/fact.ts';
import { STOCK_FILE } from '../../../src/persistence/folder/data-folder.ts';
import { DataKeys } from '../../../src/persistence/keys/data-keys.ts';
import { lookUp } from '../../../src/persistence/stock/delivered/known-texts.ts';
import { orderTexts } from '../../../src/persistence/stock/delivered/order-texts.ts';
import { encodeBlock } from '../../../src/persistence/stock/file/stock-block.ts';
import { openStockFile, readBlock } from '../../../src/persistence/stock/file/stock-file.ts';
import { productStock } from '../../../src/persistence/stock/product-stock.ts';
import { stockTexts } from '../../../src/persistence/stock/stock-texts.ts';
import { FingerprintSorter } from '../../../src/restore/fingerprint-sorter.ts';
import { RestoredTexts } from '../../../src/restore/restored-texts.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const PRODUCT = 7;
const ORDER = 3_000_000;

const encoded = (texts: readonly string[]) => encodeBlock(texts.map((text) => Buffer.from(text)));
const items = (firstItem: number, texts: readonly string[]) =>
  ({ kind: 'items', productId: PRODUCT, firstItem, texts: encoded(texts) }) as const;
/** Facts have more than is looked at here. */
const fact = (of: object) => of as Fact;
const added = (firstItem: number, count: number) =>
  fact({ kind: 'StockAdded', productId: PRODUCT, firstItem, count });
const delivered = (orderId: number, textCount: number) =>
  fact({ kind: 'OrderDelivered', order: { orderId, productId: PRODUCT, textCount } });
/** By a later receipt: with its texts, or without a change of them. */
const amended = (orderId: number, textCount: number, delivers?: true) =>
  fact({ kind: 'OrderAmended', order: { orderId, productId: PRODUCT, textCount }, delivers });

async function scene(t: TestContext) {
  const folder = await createTemporaryFolder('restored-texts');
  t.after(() => folder.remove());
  const key = randomBytes(32);
  const keys = DataKeys.create(key, randomBytes(32));
  const texts = await RestoredTexts.create(folder.path, keys);
  /** The holders of texts in the end, of a product with so many items. */
  const finished = async () => {
    texts.finish();
    await texts.close();
    const file = openStockFile(join(folder.path, STOCK_FILE), keys);
    t.after(() => file.environment.close());
    const all = stockTexts(file);
    const had = (end: number, text: string, recalled: readonly [number, number][] = []) => {
      const ranges = recalled.map(([firstItem, count]) => ({ firstItem, count }));
      const counted = productStock(PRODUCT, end, ranges, ranges);
      const textOf = (item: number) => {
        const found = item < end ? readBlock(file, PRODUCT, 0, 128)?.texts()[item] : undefined;
        return found === undefined ? undefined : Buffer.from(found);
      };
      const fingerprint = all.fingerprints.keyOf(Buffer.from(text));
      return lookUp(all, { ...counted, textOf }, fingerprint, Buffer.from(text))?.had;
    };
    return { file, had };
  };
  return { texts, finished };
}

describe('texts of a backup', () => {
  test('an order that a later receipt completes has its texts, and keeps them', async (t) => {
    const { texts, finished } = await scene(t);
    texts.write(() => {
      texts.orderTexts({ kind: 'orderTexts', orderId: ORDER, texts: encoded(['found']) });
      texts.fact(amended(ORDER, 1, true));
      texts.fact(amended(ORDER, 1));
      assert.throws(() => texts.fact(amended(ORDER + 1, 1, true)), /0 texts of order 3000001 instead of 1/);
      texts.fact(amended(ORDER + 1, 1));
    });
    const { file, had } = await finished();
    assert.deepEqual(orderTexts(file, ORDER)?.texts(), ['found']);
    assert.equal(had(0, 'found'), 'order');
  });

  test('every holder of a text is found: items, late deliveries, what was set aside and released, orders', async (t) => {
    const { texts, finished } = await scene(t);
    texts.write(() => {
      texts.items(items(0, ['same', 'other', 'same']));
      texts.fact(added(0, 3));
      texts.items(items(3, ['late']));
      texts.fact(fact({ kind: 'SupplierPurchaseReconciled', productId: PRODUCT, firstItem: 3, count: 1 }));
      texts.items(items(4, ['released']));
      texts.fact(fact({ kind: 'QuarantineEnded', productId: PRODUCT, released: { firstItem: 4, count: 1 } }));
      texts.fact(fact({ kind: 'QuarantineEnded', productId: PRODUCT, released: null }));
      texts.orderTexts({ kind: 'orderTexts', orderId: ORDER, texts: encoded(['same', 'given']) });
      texts.fact(delivered(ORDER, 2));
      texts.fact(delivered(ORDER + 9, 0));
    });
    const { had } = await finished();
    assert.deepEqual(
      ['late', 'released', 'given', 'other'].map((text) => had(5, text)),
      ['item', 'item', 'order', 'item'],
    );
    assert.equal(had(5, 'same', [[0, 1]]), 'recalled');
    assert.equal(had(5, 'same', [[2, 1]]), 'recalled');
    assert.equal(had(5, 'other', [[0, 1]]), 'item');
  });

  const lacking: Readonly<Record<string, (texts: RestoredTexts) => void>> = {
    'the last items of a fact': (texts) => {
      texts.items(items(0, ['one']));
      texts.fact(added(0, 2));
    },
    'items before others of a block': (texts) => texts.items(items(1, ['two'])),
    'one of the texts of an order': (texts) => {
      texts.orderTexts({ kind: 'orderTexts', orderId: ORDER, texts: encoded(['x']) });
      texts.fact(delivered(ORDER, 2));
    },
  };
  test('a backup that lacks texts is refused', async (t) => {
    for (const [name, work] of Object.entries(lacking)) {
      const { texts } = await scene(t);
      assert.throws(() => texts.write(() => work(texts)), /lacks texts|missing|instead of/, name);
      await texts.close();
    }
  });
});

test('fingerprints of several runs come in their order, those of one text by who has it', async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const folder = await createTemporaryFolder('sorter');
  t.after(() => folder.remove());
  const texts = Array.from({ length: 300 }, () => randomBytes(12));
  const lineOf = (key: Buffer, productId: number, hint: number) =>
    [key.toString('hex'), ...[productId, hint].map((number) => String(number).padStart(16, '0'))].join(' ');
  const sorter = new FingerprintSorter(folder.path, 128);
  const expected: string[] = [];
  for (let count = 0; count < 1_000; count += 1) {
    const key = Buffer.from(random.pick(texts));
    const productId = random.pick([1, 2, 3, 900_000, 2 ** 32 - 1]);
    // Half of them differ in their last bytes alone.
    if (random.chance(0.5)) key.fill(7, 0, 10);
    const hint = random.pick([count, 2 ** 40 + count]);
    sorter.add(key, { productId, hint });
    expected.push(lineOf(key, productId, hint));
  }
  const found = Array.from(sorter.sorted(), ({ key, productId, hint }) => lineOf(key, productId, hint));
  assert.deepEqual(found, expected.sort());
  sorter.close();
  assert.deepEqual(readdirSync(folder.path), []);
});
