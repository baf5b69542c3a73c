/**
 * The longest turn of the main thread while a node gives its largest answers and takes its largest bodies, route by
 * route: `npm run bench -- turns`.
 *
 * The node is in this process, its client in a thread of its own. Other processes take turns with us, and a turn looks
 * longer by that; so each call is made some times, and of its longest turns the shortest counts.
 */
import { startInProcess } from '../../test/support/nodes/node-in-process.ts';
import { textTable } from '../measure/text-table.ts';
import { bodyRows } from './body-rows.ts';
import { importRows } from './import-rows.ts';
import { type LongestTurn, TurnMeter } from './turn-meter.ts';
import type { Answer } from './turns-client.ts';
import { type Row, Shop } from './turns-shop.ts';

export interface TurnsFlags {
  readonly transport?: string;
  readonly rounds?: string;
  readonly products?: string;
  readonly only?: string;
}

const ITEMS = 10_000;
export async function runTurns(
  { transport = 'uws', rounds = '5', products = '20000', only }: TurnsFlags,
  { folder, print, progress }: Environment,
): Promise<void> {
  const shop = new Shop(await startInProcess({ data: folder, transport }));
  const meter = new TurnMeter();
  const table: string[][] = [];
  try {
    const rows = (await rowsOf(shop, Number(products), progress)).filter(
      ({ name }) => only === undefined || new RegExp(only).test(name),
    );
    for (const { name, calls } of rows) {
      const turns: LongestTurn[] = [];
      let answer: Answer = { status: 0, bytes: 0, text: '' };
      for (let round = 0; round < Number(rounds); round += 1) {
        const made = await calls();
        const sent = shop.send(...made);
        meter.start();
        answer = await sent;
        turns.push(meter.stop());
      }
      const least = (of: (turn: LongestTurn) => number) => Math.min(...turns.map(of)).toFixed(1);
      const row = [name, least((turn) => turn.clockMs), least((turn) => turn.processorMs)];
      table.push([...row, String(answer.status), (answer.bytes / 1e6).toFixed(1)]);
      progress(table.at(-1)?.join('  ') ?? '');
    }
  } finally {
    meter.close();
    await shop.close();
  }
  print(textTable([`longest turn, ${transport}`, 'ms', 'processor ms', 'status', 'MB'], table));
}

interface Environment {
  readonly folder: string;
  readonly print: (text: string) => void;
  readonly progress: (line: string) => void;
}

async function rowsOf(shop: Shop, products: number, progress: (line: string) => void): Promise<Row[]> {
  progress('filling the shop');
  const account = await shop.id(shop.operator('POST', '/accounts', { name: 'a', rateLimitPerMinute: null }));
  const key = await shop.send(shop.operator('POST', `/accounts/${account}/key`, {}));
  shop.apiKey = (JSON.parse(key.text) as { apiKey: string }).apiKey;
  await shop.send(
    shop.operator('POST', `/accounts/${account}/credits`, { amountUsdt: 9_000_000, reference: 'r' }),
  );
  const product = (fields: object) =>
    shop.operator('POST', '/products', { name: 'p', type: 'standard', priceUsdt: 0.01, ...fields });
  const stocked = async (bytes: number, orders: number) => {
    const productId = await shop.id(product({ allowDuplicates: true, description: `${bytes}` }));
    await add(productId, bytes, ITEMS * orders);
    return productId;
  };
  const add = (productId: number, bytes: number, bodyTimes: number) => {
    const body = `${'x"'.repeat(bytes / 2 - 1)}y\n`;
    return shop.send(
      shop.operator('POST', `/products/${productId}/stock`, undefined, {
        body,
        bodyTimes,
        type: 'text/plain',
      }),
    );
  };
  const bought = (productId: number, key?: string) => {
    const body = { productId, quantity: ITEMS, expectedPriceUsdt: ITEMS / 100 };
    return shop.buyer('POST', '/orders', body, key);
  };
  const rows: Row[] = [];
  for (const bytes of [1024, 16_384]) {
    const size = `${bytes / 1024} KB`;
    const productId = await stocked(bytes, 1);
    const orderId = await shop.id(bought(productId, `first-${bytes}`));
    const path = `/orders/${orderId}`;
    rows.push(
      {
        name: `POST /orders, ${size}`,
        calls: async () => {
          await add(productId, bytes, ITEMS);
          return [bought(productId)];
        },
      },
      { name: `POST /orders, repeated, ${size}`, calls: () => [bought(productId, `first-${bytes}`)] },
      { name: `GET /orders/{id}, ${size}`, calls: () => [shop.buyer('GET', path)] },
      { name: `HEAD /orders/{id}, ${size}`, calls: () => [shop.buyer('HEAD', path)] },
      { name: `GET /orders/{id}/receipt, ${size}`, calls: () => [shop.buyer('GET', `${path}/receipt`)] },
      { name: `operator GET /orders/{id}, ${size}`, calls: () => [shop.operator('GET', path)] },
      {
        name: `operator POST /orders/{id}/replace, ${size}`,
        calls: async () => {
          await add(productId, bytes, ITEMS);
          const bad = await shop.id(
            shop.buyer('POST', '/orders', { productId, quantity: 5_000, expectedPriceUsdt: 50 }),
          );
          const items = Array.from({ length: 5_000 }, (_, place) => place);
          return [shop.operator('POST', `/orders/${bad}/replace`, { items })];
        },
      },
      {
        name: `DELETE /products/{id}/stock, ${size}`,
        calls: async () => {
          await add(productId, bytes, ITEMS);
          return [shop.operator('DELETE', `/products/${productId}/stock?count=${ITEMS}`)];
        },
      },
      {
        name: `GET /products/{id}/stock/withdrawn, ${size}`,
        calls: () => [shop.operator('GET', `/products/${productId}/stock/withdrawn`)],
      },
    );
  }
  const manual = await shop.id(product({ type: 'manual' }));
  const texts = Array.from({ length: ITEMS }, (_, item) => `${item}`.padEnd(400, '"'));
  let delivered = 0;
  rows.push(
    {
      name: 'POST /orders/{id}/complete, 4 MB',
      calls: async () => {
        delivered = await shop.id(bought(manual));
        return [shop.operator('POST', `/orders/${delivered}/complete`, { items: texts })];
      },
    },
    { name: 'GET /orders/{id}, by hand, 4 MB', calls: () => [shop.buyer('GET', `/orders/${delivered}`)] },
    {
      name: 'GET /orders/{id}/receipt, by hand',
      calls: () => [shop.buyer('GET', `/orders/${delivered}/receipt`)],
    },
  );
  rows.push(...(await bodyRows(shop, product)), ...(await importRows(shop)));
  const texted = { description: 'd'.repeat(2_000) };
  await shop.send(...Array.from({ length: products }, () => product(texted)));
  await shop.send(
    ...Array.from({ length: 2_000 }, () =>
      shop.buyer('POST', '/orders', { productId: 1, quantity: 1, expectedPriceUsdt: 0.01 }),
    ),
  );
  await shop.send(
    ...Array.from({ length: 1_000 }, () =>
      product({ description: 'é'.repeat(10_000), instructions: '"'.repeat(10_000) }),
    ),
  );
  await shop.send(
    ...Array.from({ length: 2_000 }, (_, n) =>
      shop.operator('POST', '/accounts', { name: `n${n}`.padEnd(200, '"') }),
    ),
  );
  rows.push({ name: `GET /products, ${products}`, calls: () => [shop.buyer('GET', '/products')] });
  rows.push({ name: `HEAD /products, ${products}`, calls: () => [shop.buyer('HEAD', '/products')] });
  const listings = [
    `/products?cursor=${products + 3}`,
    '/products?search=p',
    '/accounts',
    '/orders',
    `/accounts/${account}/statement`,
    '/audit',
    '/products/1/lots',
    '/reports/money?by=product',
    '/reports/money?by=account',
    '/overview',
    '/status',
    '/metrics',
    '/openapi.json',
  ];
  for (const path of listings) {
    rows.push({ name: `operator GET ${path}`, calls: () => [shop.operator('GET', path)] });
  }
  rows.push({
    name: 'operator GET /accounts/{id}/statement, CSV',
    calls: () => {
      const call = shop.operator('GET', `/accounts/${account}/statement`);
      return [{ ...call, headers: { ...call.headers, accept: 'text/csv' } }];
    },
  });
  rows.push({
    name: 'POST /items/search',
    calls: () => [shop.operator('POST', '/items/search', { text: `${'x"'.repeat(511)}y` })],
  });
  return rows;
}
