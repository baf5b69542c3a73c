/** The list of orders as CSV: every order that fits once, whatever happens meanwhile, and no line before it is durable. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OrderCsv } from '../../../src/http/operator/orders/order-csv.ts';
import { type OrderFilter, parseOrderFilter } from '../../../src/http/operator/orders/order-filter.ts';
import { csvRows } from '../../support/csv-rows.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { OrderScene } from './order-scene.ts';

const ORDERS = 700;

function filterOf(query: string): OrderFilter {
  const filter = parseOrderFilter(new URLSearchParams(query));
  assert.ok(!('error' in filter));
  return filter;
}

test('orders as CSV are read in parts, while others happen, and leave when they are durable', async (context) => {
  const random = randomFromEnvironment();
  const temporary = await createTemporaryFolder('order-csv');
  const scene = await OrderScene.open(temporary.path, random);
  context.after(async () => {
    await scene.close();
    await temporary.remove();
  });
  for (let step = 0; step < ORDERS; step += 1) scene.happen();
  await scene.fold();
  scene.forget();
  for (let step = 0; step < ORDERS; step += 1) scene.happen();
  const waiting: ((durable: boolean) => void)[] = [];
  const csvOf = (query: string) => {
    const { engine, ...sources } = scene.sources;
    const whenDurable = (callback: (durable: boolean) => void) => void waiting.push(callback);
    return new OrderCsv({ ...sources, engine: { ...engine, whenDurable } }, filterOf(query), 'plain');
  };
  /** One part, when the engine has said that it is durable, or that it never will be. */
  const part = async (csv: OrderCsv, durable = true): Promise<string | undefined> => {
    let isRead = false;
    const reading = csv.read().finally(() => {
      isRead = true;
    });
    while (!isRead && waiting.length === 0) await new Promise(setImmediate);
    if (waiting.length > 0) assert.equal(isRead, false, 'not before it is durable');
    for (const callback of waiting.splice(0)) callback(durable);
    return (await reading)?.toString();
  };
  for (const [query, status] of [
    ['', undefined],
    ['status=failed', 'failed'],
  ] as const) {
    const fit = [...scene.orders.values()].filter((order) => status === undefined || order.status === status);
    const before = fit.map(({ orderId }) => orderId).sort((a, b) => b - a);
    const csv = csvOf(query);
    let text = '';
    let parts = 0;
    for (let more = await part(csv); more !== undefined; more = await part(csv)) {
      text += more;
      parts += 1;
      if (status === undefined) for (let step = 0; step < 20; step += 1) scene.happen();
    }
    const told = csvRows(text).slice(1);
    const ids = told.map(([orderId]) => Number(orderId));
    assert.deepEqual(ids, [...new Set(ids)], `seed ${random.seed}`);
    assert.deepEqual(
      ids.filter((id) => before.includes(id)),
      before,
      `seed ${random.seed}`,
    );
    assert.ok(status !== undefined || parts > 4, 'in parts');
  }
  const unstored = csvOf('');
  assert.match((await part(unstored)) ?? '', /^orderId,createdAt,/);
  await assert.rejects(part(unstored, false), /can not be stored/);
  const left = csvOf('');
  await part(left);
  left.abandon();
  assert.equal(await left.read(), undefined, 'nobody reads on');
});
