/**
 * Which order has an item: the same as by a plain list of who took what, with gaps of withdrawn items, over several folds
 * and a new fold that goes on where another ended.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangedRows } from '../../../src/engine/apply/changed-rows.ts';
import { Stock } from '../../../src/engine/stock.ts';
import { OrderLists } from '../../../src/persistence/checkpoint/order-lists.ts';
import { itemsTaken, orderOfItem } from '../../../src/persistence/checkpoint/product-orders.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { JournalFolder } from '../journal/journal-folder.ts';

const PRODUCTS = 3;
const ORDERS = 3_000;

test('an item leads to the order that has it', async (context) => {
  const random = randomFromEnvironment();
  context.diagnostic(`seed ${random.seed}`);
  const temporary = await createTemporaryFolder('product-orders');
  const folder = await JournalFolder.open(temporary.path);
  context.after(async () => {
    await folder.close();
    await temporary.remove();
  });
  const { tables } = folder;
  /** By product and item; items that were withdrawn have none. */
  const owners = Array.from({ length: PRODUCTS }, (): (number | undefined)[] => []);
  const withdrawn = owners.map(() => [] as { firstItem: number; count: number }[]);
  let lists = new OrderLists(tables.orderLists);
  const fold = () => {
    tables.environment.transactionSync(() => lists.flush());
    if (random.chance(0.5)) lists = new OrderLists(tables.orderLists);
  };
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
    lists.addItems(productId, firstItem, count, orderId);
    if (random.chance(0.02)) {
      withdrawn[productId]?.push({ firstItem: items.length, count: 3 });
      items.length += 3;
    }
    if (random.chance(0.005)) fold();
  }
  fold();
  const stock = new Stock(new ChangedRows());
  for (const [productId, items] of owners.entries()) {
    const [next, end] = [items.length, items.length];
    stock.load(productId, { next, end, withdrawn: withdrawn[productId] ?? [], recalled: [] });
  }
  const { orderLists, recoveredOrders } = tables;
  const sources = { orderLists, recoveredOrders, stock };
  for (const [productId, items] of owners.entries()) {
    for (const [item, owner] of items.entries()) {
      assert.equal(orderOfItem(sources, productId, item), owner, `item ${item}`);
    }
    assert.equal(orderOfItem(sources, productId, items.length), undefined, 'not sold yet');
    for (let round = 0; round < 50; round += 1) {
      const first = random.between(0, items.length - 1);
      const last = random.between(first, Math.min(items.length - 1, first + 900));
      const expected = new Set(items.slice(first, last + 1).filter((orderId) => orderId !== undefined));
      const taken = [...itemsTaken(sources, productId, first, last)];
      assert.deepEqual(new Set(taken.map(({ orderId }) => orderId)), expected);
      const inOrder = taken.toSorted((a, b) => a.firstItem - b.firstItem);
      assert.deepEqual(taken, inOrder);
    }
  }
  assert.equal(orderOfItem(sources, PRODUCTS, 0), undefined);
});
