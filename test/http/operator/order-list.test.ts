/**
 * The list of orders: every order that fits, once, newest first, as it is now; by each trait and by several together,
 * wherever the orders lie, whatever the pages, and also behind restores, over whose skips of numbers nobody could walk.
 * Compared with a plain filter over all orders.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ORDER_STATUSES, type Order } from '../../../src/engine/orders.ts';
import { EPOCH_MS, PER_MS, requestIdOf } from '../../../src/engine/request-number.ts';
import { parseOrderFilter } from '../../../src/http/operator/orders/order-filter.ts';
import { pageOfOrders } from '../../../src/http/operator/orders/order-list.ts';
import { type Random, randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { ACCOUNTS, OrderScene, PRODUCTS, RECIPIENTS, START_MS } from './order-scene.ts';

const ROUNDS = 3;
const STEPS_PER_ROUND = 250;
const QUERIES_PER_ROUND = 20;
/** Each order must come, however many pages it takes. */
const MAX_PAGES = 5_000;

type Fits = (order: Order) => boolean;
type Choice = readonly [field: string, value: string, fits: Fits];

/** One value for each field of the query that is chosen. */
function randomQuery(random: Random, scene: OrderScene): { query: URLSearchParams; fits: Fits } {
  const accountId = random.between(1, ACCOUNTS + 1);
  const productId = random.between(1, PRODUCTS);
  const status = random.pick(ORDER_STATUSES);
  const recipient = random.pick([...RECIPIENTS, 'ANNA', 'nobody']);
  const from = random.between(START_MS - 1_000, scene.nowMs + 1_000);
  const to = random.between(from, scene.nowMs + 1_000);
  const one = scene.anyOrder();
  const choices: Choice[] = [
    ['accountId', String(accountId), (order) => order.accountId === accountId],
    ['productId', String(productId), (order) => order.productId === productId],
    ['status', status, (order) => order.status === status],
    ['recipient', recipient, ({ recipientUsername }) => isRecipient(recipientUsername, recipient)],
    ['from', random.pick([String(from), new Date(from).toISOString()]), (order) => order.createdAtMs >= from],
    ['to', String(to), (order) => order.createdAtMs < to],
  ];
  const chosen = random.sample(choices, random.between(0, 3));
  const exact = one === undefined || random.chance(0.7) ? [] : random.pick([ofRequest(one), ofKey(one)]);
  const fields = new Map([...chosen, ...exact].map((choice) => [choice[0], choice]));
  const query = new URLSearchParams(
    Array.from(fields, ([field, [, value]]): [string, string] => [field, value]),
  );
  if (random.chance(0.7)) query.set('limit', String(random.pick([11, 50, 1_000])));
  return { query, fits: (order) => [...fields.values()].every(([, , isOne]) => isOne(order)) };
}

function isRecipient(username: string | null, asked: string): boolean {
  return username?.slice(1).toLowerCase() === asked.replace('@', '').toLowerCase();
}

function ofRequest({ requestNumber }: Order): Choice[] {
  // Of an order without one, a request of which nothing came.
  const asked = requestNumber === 0 ? (START_MS - EPOCH_MS) * PER_MS + 4_000 : requestNumber;
  return [['requestId', requestIdOf(asked), (order) => order.requestNumber === asked]];
}

function ofKey({ idempotencyKey, accountId }: Order): Choice[] {
  const key = idempotencyKey === '' ? 'no such key' : idempotencyKey;
  return [
    ['accountId', String(accountId), (order) => order.accountId === accountId],
    ['idempotencyKey', key, (order) => order.idempotencyKey === key],
  ];
}

async function allPages(scene: OrderScene, query: URLSearchParams): Promise<Order[]> {
  const found: Order[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const filter = parseOrderFilter(query);
    assert.ok(!('error' in filter), JSON.stringify(filter));
    const { orders, nextCursor } = await pageOfOrders(scene.sources, filter);
    assert.ok(orders.length <= filter.limit);
    found.push(...orders);
    if (nextCursor.nextCursor === undefined) return found;
    query.set('cursor', nextCursor.nextCursor);
  }
  return assert.fail('the pages have no end');
}

test('every listing is what a plain filter gives, across folds and restarts', async (context) => {
  const random = randomFromEnvironment();
  context.diagnostic(`seed ${random.seed}`);
  const temporary = await createTemporaryFolder('order-list');
  const scene = await OrderScene.open(temporary.path, random);
  context.after(async () => {
    await scene.close();
    await temporary.remove();
  });
  const compare = async () => {
    for (let count = 0; count < QUERIES_PER_ROUND; count += 1) {
      const { query, fits } = randomQuery(random, scene);
      const text = query.toString();
      const expected = [...scene.orders.values()].filter(fits).sort((a, b) => b.orderId - a.orderId);
      assert.deepEqual(await allPages(scene, query), expected, text);
    }
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let step = 0; step < STEPS_PER_ROUND; step += 1) scene.happen();
    await compare();
    if (random.chance(0.2)) await scene.restart();
    await scene.fold(random.chance(0.5) ? undefined : { fileFacts: 100 });
    const pending = [...scene.orders.values()].filter(({ status }) => status === 'pending_delivery');
    const ids = pending.map(({ orderId }) => orderId).sort((a, b) => a - b);
    for (const from of [1, scene.anyOrder()?.orderId ?? 1]) {
      const expected = ids.filter((orderId) => orderId >= from);
      assert.deepEqual([...scene.sources.orderIndex.pending(from)], expected, `pending from ${from}`);
    }
    for (let step = 0; step < 50; step += 1) scene.happen();
    // On disk already, and not forgotten yet.
    await compare();
    scene.forget();
    if (random.chance(0.2)) await scene.restart();
  }
  await compare();
});
