/**
 * Which order has an item: the same as by a plain list of who took what, with gaps of withdrawn items, over several folds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { State } from '../../../src/engine/state.ts';
import { ItemOrders } from '../../../src/persistence/checkpoint/item-orders.ts';
import { RowBatches } from '../../../src/persistence/checkpoint/row-batches.ts';
import { ALL_TABLES, TABLES } from '../../../src/persistence/checkpoint/tables.ts';
import { createStore } from '../../../src/persistence/store/file-list.ts';
import { StoreFiles } from '../../../src/persistence/store/store-files.ts';
import { StoreReader } from '../../../src/persistence/store/store-reader.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const PRODUCTS = 3;
const ORDERS = 3_000;

test('an item leads to the order that has it', async (context) => {
  const random = randomFromEnvironment();
  context.diagnostic(`seed ${random.seed}`);
  const temporary = await createTemporaryFolder('product-orders');
  context.after(() => temporary.remove());
  createStore(temporary.path);
  const files = new StoreFiles(temporary.path, ALL_TABLES);
  /** By product and item; items that were withdrawn have none. */
  const owners = Array.from({ length: PRODUCTS }, (): (number | undefined)[] => []);
  const withdrawn = owners.map(() => [] as { firstItem: number; count: number }[]);
  const rows = new RowBatches();
  const { values } = rows.of(TABLES.items);
  const fold = () => files.add({ position: 1, journalHash: '' }, rows);
  for (let taken = 0; taken < ORDERS; taken += 1) {
    const productId = random.between(0, PRODUCTS - 1);
    const items = owners[productId] ?? [];
    // An order that is paid later than others were made.
    const orderId = random.chance(0.1) ? random.between(1, ORDERS * 2) : taken + 1;
    const count = random.between(1, 5);
    const firstItem = items.length;
    for (let sold = 0; sold < count; sold += 1) {
      if (sold > 0 && random.chance(0.02)) {
        const gap = { firstItem: items.length, count: random.between(1, 9) };
        withdrawn[productId]?.push(gap);
        items.length += gap.count;
      }
      items.push(orderId);
    }
    for (const number of [count, orderId]) values.varint(number);
    rows.of(TABLES.items).add(productId, firstItem);
    if (random.chance(0.02)) {
      withdrawn[productId]?.push({ firstItem: items.length, count: 3 });
      items.length += 3;
    }
    if (random.chance(0.005)) fold();
  }
  fold();
  const state = new State();
  for (const [productId, items] of owners.entries()) {
    const [next, end] = [items.length, items.length];
    state.stock.load(productId, { next, end, withdrawn: withdrawn[productId] ?? [], recalled: [] });
  }
  const store = new StoreReader(temporary.path);
  context.after(() => store.close());
  const orders = new ItemOrders({ state }, store);
  for (const [productId, items] of owners.entries()) {
    for (const [item, owner] of items.entries()) {
      assert.equal(orders.orderOf(productId, item), owner, `item ${item}`);
    }
    assert.equal(orders.orderOf(productId, items.length), undefined, 'not sold yet');
    for (let round = 0; round < 50; round += 1) {
      const first = random.between(0, items.length - 1);
      const last = random.between(first, Math.min(items.length - 1, first + 900));
      const expected = new Set(items.slice(first, last + 1).filter((orderId) => orderId !== undefined));
      const taken = orders.taken(productId, first, last, ORDERS);
      assert.deepEqual(new Set(taken.map(({ orderId }) => orderId)), expected);
      const inOrder = taken.toSorted((a, b) => a.firstItem - b.firstItem);
      assert.deepEqual(taken, inOrder);
    }
  }
  assert.equal(orders.orderOf(PRODUCTS, 0), undefined);
});
