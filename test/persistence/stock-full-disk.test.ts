import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { productStock } from '../../src/persistence/stock/product-stock.ts';
import { StockFullError } from '../../src/persistence/stock/stock-errors.ts';
import { openStockStore } from '../../src/persistence/stock/stock-store.ts';
import { randomDataKeys } from '../support/data-keys.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { numbered } from './stock-scene.ts';

const PRODUCT = 7;

test('a full disk refuses an upload, not a reader, and nothing has to be mended', {
  skip: whyNoSmallDisk() ?? false,
}, async () => {
  const folder = await createTemporaryFolder('stock-full');
  const disk = mountSmallDisk(folder.path, 32);
  const store = await openStockStore({
    file: join(disk.path, 'stock.mdb'),
    keys: randomDataKeys(),
    onFatal: (error) => assert.fail(String(error)),
  });
  const first = numbered('first', 5_000);
  const second = numbered('second', 20_000);
  let end = 0;
  const upload = async (lines: readonly string[]) => {
    const intake = await store.beginIntake({
      productId: PRODUCT,
      allowDuplicates: false,
      readStock: async () => productStock(PRODUCT, end),
    });
    try {
      await intake.writeText(Buffer.from(lines.join('\n')));
      const { added } = await intake.finish();
      end += added;
    } finally {
      intake.close();
    }
  };
  try {
    await upload(first);
    disk.fill();
    for (let attempt = 0; attempt < 3; attempt += 1) await assert.rejects(upload(second), StockFullError);
    assert.equal(end, first.length);
    assert.deepEqual(store.readItems(PRODUCT, 0, end, end), first);
    disk.free();
    const tooLarge = Array.from({ length: 4_000 }, (_, index) => `${index} ${'x'.repeat(10_000)}`);
    await assert.rejects(upload(tooLarge), StockFullError);
    const { bavail, bsize } = statfsSync(disk.path);
    assert.ok(bavail * bsize >= 1024 * 1024, 'a refused upload leaves room for purchases');
    await upload(second);
    assert.deepEqual(store.readItems(PRODUCT, 0, end, end), [...first, ...second]);
  } finally {
    await store.close();
    disk.unmount();
    await folder.remove();
  }
});
