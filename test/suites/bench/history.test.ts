/** What the scenario `history` says of a node's age, apart from the servers it is measured on. */
import assert from 'node:assert/strict';
import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { diskUse } from '../../../bench/history/disk-use.ts';
import { agesUntil } from '../../../bench/history/history.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const ages: readonly { readonly orders: number; readonly measured: readonly number[] }[] = [
  { orders: 20_000, measured: [20_000] },
  { orders: 1_000_000, measured: [1_000_000] },
  { orders: 10_000_000, measured: [1_000_000, 3_000_000, 10_000_000] },
  { orders: 4_000_000, measured: [1_000_000, 3_000_000, 4_000_000] },
];
for (const { orders, measured } of ages) {
  test(`a fill of ${orders} stops at ${measured.join(', ')}`, () => {
    assert.deepEqual(agesUntil(orders), measured);
  });
}

test('files are weighed by the blocks they take, the segments of the journal as one', async () => {
  const folder = await createTemporaryFolder('disk-use');
  try {
    await mkdir(join(folder.path, 'files', 'one'), { recursive: true });
    await writeFile(join(folder.path, 'journal-0000000000000001.mdb'), Buffer.alloc(300_000, 1));
    await writeFile(join(folder.path, 'journal-0000000000000002.mdb'), Buffer.alloc(300_000, 1));
    await writeFile(join(folder.path, 'stock.mdb'), Buffer.alloc(100_000, 1));
    await writeFile(join(folder.path, 'files', 'one', 'a'), Buffer.alloc(10_000, 1));
    // A hole takes nothing.
    await truncate(join(folder.path, 'stock.mdb'), 100_000_000);
    const use = diskUse(folder.path);
    assert.deepEqual(
      use.map(({ file }) => file),
      ['journal', 'stock.mdb', 'files/'],
    );
    const [journal, stock] = use.map(({ bytes }) => bytes);
    assert.ok(journal !== undefined && journal >= 600_000 && journal < 700_000, `the journal has ${journal}`);
    assert.ok(stock !== undefined && stock < 200_000, `the stock has ${stock}`);
  } finally {
    await folder.remove();
  }
});
