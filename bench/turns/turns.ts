/**
 * The longest turn of the main thread while a node gives its largest answers and takes its largest bodies, route by
 * route: `npm run bench -- turns`.
 *
 * The node is in this process, its client in a thread of its own. Other processes take turns with us, and a turn looks
 * longer by that; so each call is made some times, and of its longest turns the shortest counts.
 */
import { Worker } from 'node:worker_threads';
import type { PurserNode } from '../../src/node.ts';
import { startInProcess } from '../../test/support/node-in-process.ts';
import { textTable } from '../text-table.ts';
import { type LongestTurn, TurnMeter } from './turn-meter.ts';
import type { Answer, Call } from './turns-client.ts';

export interface TurnsFlags {
  readonly transport?: string;
  readonly rounds?: string;
  readonly products?: string;
  readonly only?: string;
}

const ITEMS = 10_000;
const JSON_TYPE = { 'content-type': 'application/json' };

type Body = { readonly body?: string; readonly bodyTimes?: number; readonly type?: string };

class Shop {
  readonly #node: PurserNode;
  readonly #client = new Worker(new URL('./turns-client.js', import.meta.url));
  #keys = 0;
  apiKey = '';

  constructor(node: PurserNode) {
    this.#node = node;
  }

  buyer(method: string, path: string, body?: unknown, key = this.newKey()): Call {
    const headers = { 'x-api-key': this.apiKey, 'idempotency-key': key, ...JSON_TYPE };
    const text = body === undefined ? undefined : JSON.stringify(body);
    return { url: this.#node.buyerUrl + path, method, headers, body: text };
  }

  operator(method: string, path: string, json?: unknown, { type, ...body }: Body = {}): Call {
    const key = this.newKey();
    const headers = {
      authorization: `Bearer ${this.#node.operatorToken}`,
      'idempotency-key': key,
      'content-type': type ?? 'application/json',
    };
    const text = json === undefined ? undefined : JSON.stringify(json);
    return {
      url: this.#node.operatorUrl + path,
      method,
      headers,
      body: text,
      ...body,
    };
  }

  send(...calls: readonly Call[]): Promise<Answer> {
    return new Promise((resolve) => {
      this.#client.once('message', resolve);
      this.#client.postMessage(calls);
    });
  }

  async id(call: Call): Promise<number> {
    const { status, text } = await this.send(call);
    const [, id] = /"(?:accountId|productId|orderId)":(\d+)/.exec(text) ?? [];
    if (status !== 201) throw new Error(`${call.method} ${call.url}: ${status} ${text}`);
    return Number(id);
  }

  async close(): Promise<void> {
    await this.#client.terminate();
    await this.#node.stop();
  }

  newKey(): string {
    this.#keys += 1;
    return `k${this.#keys}`;
  }
}

interface Row {
  readonly name: string;
  /** Makes the calls of a round, which are sent at once. */
  readonly calls: () => readonly Call[] | Promise<readonly Call[]>;
}

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
        meter.start();
        answer = await shop.send(...made);
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
    {
      name: 'POST /products/{id}/stock, JSON, 8 MB',
      calls: async () => {
        const productId = await shop.id(product({}));
        const items = Array.from({ length: 150_000 }, (_, item) =>
          `${shop.newKey()}-${item}`.padEnd(50, 'x'),
        );
        return [shop.operator('POST', `/products/${productId}/stock`, { items })];
      },
    },
    {
      name: 'POST /products/{id}/stock, JSON of empty objects, 8 MB',
      calls: () => [shop.operator('POST', '/products/1/stock', { items: Array(2_500_000).fill({}) })],
    },
  );
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
