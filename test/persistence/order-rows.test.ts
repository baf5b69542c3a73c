/**
 * Orders as rows: whichever orders come, in whatever order and however often, the table has each as it came last; also
 * when rows have moved to run files meanwhile.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Order } from '../../src/engine/orders.ts';
import { OrderBlock } from '../../src/persistence/checkpoint/checkpoint-rows.ts';
import { OrderRows } from '../../src/persistence/checkpoint/order-rows.ts';
import { unseal } from '../../src/persistence/codec/sealed-row.ts';
import { createEnvironment, openEnvironment } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { Compaction } from '../../src/persistence/runs/compaction.ts';
import { RunSet } from '../../src/persistence/runs/run-set.ts';
import { TieredTable } from '../../src/persistence/runs/tiered-table.ts';
import { randomFromEnvironment } from '../support/random.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { order } from '../webhooks/outbox/shop-facts.ts';

test('new orders and changes of older ones, over several transactions', async (context) => {
  const random = randomFromEnvironment();
  context.diagnostic(`seed ${random.seed}`);
  const folder = await createTemporaryFolder('order-rows');
  const file = join(folder.path, 'orders.mdb');
  await createEnvironment(file, ['meta', 'orders']);
  const environment = openEnvironment(file);
  const meta = environment.table('meta');
  const runs = new RunSet(environment, meta, 'checkpoint');
  context.after(async () => {
    runs.close();
    await environment.close();
    await folder.remove();
  });
  const table = new TieredTable('orders', environment.table('orders'), runs, { isPacked: true });
  const transact = (work: () => void) => environment.transactionSync(work);
  const tables = { environment, meta, runs, kind: 'checkpoint', tiered: [table] };
  const compaction = new Compaction(tables, transact, { movedBytes: 1, packedBytes: 1 });
  const expected = new Map<number, Order>();
  let rows = new OrderRows(table);
  for (let transaction = 0; transaction < 30; transaction += 1) {
    transact(() => {
      for (let count = random.between(0, 200); count > 0; count -= 1) {
        const isNew = expected.size === 0 || random.between(0, 3) > 0;
        const orderId = isNew ? expected.size + 1 : random.between(1, expected.size);
        const placed = { ...order(orderId), totalMicros: random.between(0, 1e9) };
        expected.set(orderId, placed);
        rows.set(placed);
        if (random.between(0, 50) === 0) rows.flush();
      }
      rows.flush();
    });
    if (random.between(0, 3) === 0) while (compaction.step());
    // As after a restart: what was written before is only in the table.
    if (random.between(0, 5) === 0) rows = new OrderRows(table);
  }
  while (compaction.step());
  const found: Order[] = [];
  for (const { key, value } of table.getRange()) {
    found.push(...OrderBlock.decode(unseal('orders', key, value)).values());
  }
  assert.deepEqual(found, [...expected.values()]);
  assert.ok(runs.of('orders').length > 0, 'rows are in run files');
});
