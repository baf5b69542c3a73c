/** Items for sale with the texts of some items, against a search through all of them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { ItemRanges } from '../../../src/engine/item-ranges.ts';
import { productStock } from '../../../src/persistence/stock/product-stock.ts';
import { StockScene } from './stock-scene.ts';

let scene: StockScene;
let lastProduct = 0;

describe('copies of texts', () => {
  before(async () => {
    scene = await StockScene.open();
  });
  after(() => scene.close());

  const range = fc.record({ firstItem: fc.nat({ max: 40 }), count: fc.integer({ min: 1, max: 8 }) });
  /** Few texts, so that they come again. */
  const lines = fc.array(
    fc.nat({ max: 12 }).map((text) => `text ${text}`),
    { minLength: 1, maxLength: 15 },
  );
  const shops = fc.record({
    uploads: fc.array(
      fc.record({ lines, allowDuplicates: fc.boolean(), withdrawn: range, abandoned: lines }),
      {
        minLength: 1,
        maxLength: 4,
      },
    ),
    next: fc.nat({ max: 20 }),
    from: fc.nat({ max: 20 }),
    count: fc.nat({ max: 20 }),
  });

  test('copies are found wherever they are for sale, and nothing else is', async () => {
    await fc.assert(
      fc.asyncProperty(shops, async ({ uploads, next, from, count }) => {
        lastProduct += 1;
        const productId = lastProduct;
        const gone = new ItemRanges();
        for (const upload of uploads) {
          await scene.abandon(productId, upload.abandoned, upload.allowDuplicates);
          await scene.upload(productId, upload.lines, upload.allowDuplicates);
          const { firstItem, count: size } = upload.withdrawn;
          const withdrawn = Math.max(0, Math.min(size, scene.end(productId) - firstItem));
          gone.add({ firstItem, count: withdrawn });
          if (withdrawn > 0) scene.withdraw(productId, firstItem, withdrawn);
        }
        const end = scene.end(productId);
        const texts = scene.read(productId);
        const to = Math.min(from + count, end);
        const wanted = new Set(texts.slice(from, to));
        const expected = texts.flatMap((text, item) =>
          item >= next && gone.endOf(item) === item && wanted.has(text) ? [item] : [],
        );
        const { withdrawn } = productStock(productId, end, gone.list);
        const shelves = Float64Array.of(productId, next, end);
        const copies = await scene.store.copiesForSale({ productId, withdrawn, shelves, from, to });
        assert.deepEqual(
          copies.items.map(({ hint }) => hint),
          expected,
        );
        assert.ok(copies.from >= to);
      }),
      { numRuns: 40 },
    );
  });

  test('many are found in pieces, each after the one before was withdrawn', async () => {
    lastProduct += 1;
    const productId = lastProduct;
    const texts = Array.from({ length: 6_000 }, (_, line) => `${line % 3_000}`);
    await scene.upload(productId, texts, true);
    const gone = new ItemRanges();
    gone.add({ firstItem: 0, count: 3_000 });
    const found: number[] = [];
    let pieces = 0;
    for (let from = 0; from < 3_000; ) {
      const { withdrawn } = productStock(productId, 6_000, gone.list);
      const shelves = Float64Array.of(productId, 0, 6_000);
      const copies = await scene.store.copiesForSale({ productId, withdrawn, shelves, from, to: 3_000 });
      for (const { hint } of copies.items) {
        gone.add({ firstItem: hint, count: 1 });
        found.push(hint);
      }
      from = copies.from;
      pieces += 1;
    }
    assert.deepEqual(
      found,
      Array.from({ length: 3_000 }, (_, line) => 3_000 + line),
    );
    assert.ok(pieces > 2, `${pieces}`);
  });
});
