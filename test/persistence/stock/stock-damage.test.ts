/** Stock whose rows were changed behind the store's back: what is damaged is noticed by whoever reads it, and only that. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { blockKey, ITEMS_PER_BLOCK } from '../../../src/persistence/stock/file/stock-block.ts';
import { StockError } from '../../../src/persistence/stock/stock-errors.ts';
import { flip, numbered, StockScene } from './stock-scene.ts';

/** A whole block of them, and some of the next. */
const items = numbered('item', ITEMS_PER_BLOCK + 36);
const end = items.length;
/** The bytes of a block that are damaged, each in a product of its own. */
const BYTES = [0, 4, 16, 500, -1];

/** Opening a store starts a thread, so all tests share one, and each has products of its own. */
describe('a damaged stock file', () => {
  let scene: StockScene;
  let product = 0;

  before(async () => {
    scene = await StockScene.open();
  });
  after(() => scene.close());

  async function newProduct(): Promise<number> {
    product += 1;
    await scene.upload(product, items);
    return product;
  }

  test(`a byte of a block (${BYTES}) is noticed, and the other blocks are read`, async () => {
    const sound = await newProduct();
    const damaged: number[] = [];
    for (const _ of BYTES) damaged.push(await newProduct());
    for (const [place, index] of BYTES.entries()) {
      await scene.changeRow('items', blockKey(damaged[place] ?? 0, 0), flip(index));
    }
    await scene.reopen();
    for (const productId of damaged) {
      assert.throws(
        () => scene.store.readItems(productId, ITEMS_PER_BLOCK - 1, 1, end),
        (error) =>
          StockError.is(error, 'damaged') && error.message.startsWith(`block 0 of product ${productId}: `),
      );
      assert.deepEqual(
        scene.store.readItems(productId, ITEMS_PER_BLOCK, 36, end),
        items.slice(ITEMS_PER_BLOCK),
      );
    }
    assert.deepEqual(scene.read(sound), items);
  });

  test("a product's block in the place of another's is noticed", async () => {
    const [own, other] = [await newProduct(), await newProduct()];
    let others: Buffer = Buffer.alloc(0);
    await scene.changeRow('items', blockKey(other, 1), (value) => (others = value));
    await scene.changeRow('items', blockKey(own, 1), () => others);
    await scene.reopen();
    assert.throws(() => scene.store.readItems(own, ITEMS_PER_BLOCK, 1, end), {
      name: 'StockError',
      reason: 'damaged',
    });
  });

  test('an upload that would go on from a damaged or missing block is refused, others are not', async () => {
    const [damaged, missing, other] = [await newProduct(), await newProduct(), await newProduct()];
    await scene.changeRow('items', blockKey(damaged, 1), flip(30));
    await scene.changeRow('items', blockKey(missing, 1), () => undefined);
    await scene.reopen();
    await assert.rejects(scene.upload(damaged, 'new'), { name: 'StockError', reason: 'damaged' });
    await assert.rejects(scene.upload(missing, 'new'), /the text of item \d+ is missing/);
    assert.deepEqual(await scene.upload(other, 'new\nitem-3'), { firstItem: end, added: 1, duplicates: 1 });
  });

  test("a byte of a fingerprint's row (0, 5, 9) is noticed by an upload of that text", async () => {
    const textScene = await StockScene.open();
    await textScene.upload(1, items);
    for (const [uploads, index] of [0, 5, 9].entries()) {
      await textScene.changeRow('fingerprints', undefined, flip(index));
      await textScene.reopen();
      await assert.rejects(
        textScene.upload(1, items),
        (error) => StockError.is(error, 'damaged') && error.message.startsWith('fingerprint '),
      );
      assert.deepEqual(await textScene.upload(1, `new ${index}`), {
        firstItem: end + uploads,
        added: 1,
        duplicates: 0,
      });
      await textScene.changeRow('fingerprints', undefined, flip(index));
    }
    await textScene.close();
  });
});
