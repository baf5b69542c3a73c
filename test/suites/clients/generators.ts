/**
 * The generators of clients that npm has, each with the command that runs it on `api.json`, and with a program that uses
 * what it made behind one interface, `Shop`. Their versions are fixed: what a newer one makes of the document is to be
 * looked at.
 */
export interface Generator {
  readonly name: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly command: readonly [string, ...string[]];
  /** Files that the command reads. */
  readonly files?: Readonly<Record<string, string>>;
  readonly program: string;
}

/** What every generated client must be able to say, with these types. */
export const SHOP = `
export type Stock = number | 'unlimited';
export interface Bought { orderId: number; status: string; items: string[] | undefined; totalPriceUsdt: number }
export interface Refused { error: string; currentPriceUsdt: number | undefined }
export interface Shop {
  stocks(): Promise<Stock[]>;
  buy(key: string, productId: number, expectedPriceUsdt: number): Promise<Bought | Refused>;
  status(orderId: number): Promise<string>;
  events(): Promise<string[]>;
}
export const missing = (what: string): never => { throw new Error(what + ' is missing'); };
`;

export const GENERATORS: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    packages: { 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0' },
    command: ['openapi-typescript', 'api.json', '-o', 'openapi-typescript/api.ts'],
    program: `
import createClient from 'openapi-fetch';
import type { paths } from './openapi-typescript/api';
import { missing, type Shop } from './shop';
export function shop(baseUrl: string, apiKey: string): Shop {
  const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': apiKey } });
  return {
    stocks: async () => {
      const { data = missing('catalog') } = await client.GET('/products');
      return data.products.map(({ availableStock }) => availableStock);
    },
    buy: async (key, productId, expectedPriceUsdt) => {
      const { data, error } = await client.POST('/orders', {
        params: { header: { 'Idempotency-Key': key } },
        body: { productId, quantity: 1, expectedPriceUsdt },
      });
      if (error !== undefined) return { error: error.error, currentPriceUsdt: error.currentPriceUsdt };
      const { orderId, status, delivery, totalPriceUsdt } = data;
      return { orderId, status, items: delivery?.items, totalPriceUsdt };
    },
    status: async (id) => {
      const { data = missing('order') } = await client.GET('/orders/{id}', { params: { path: { id } } });
      return data.status;
    },
    events: async () => {
      const { data = missing('events') } = await client.GET('/events');
      return data.events.map(({ type }) => type);
    },
  };
}
`,
  },
  {
    name: '@hey-api/openapi-ts',
    packages: { '@hey-api/openapi-ts': '0.99.0' },
    command: ['openapi-ts', '-i', 'api.json', '-o', 'hey-api', '-c', '@hey-api/client-fetch'],
    program: `
import { createClient, createConfig } from './hey-api/client';
import { getOrder, listEvents, listProducts, placeOrder } from './hey-api/sdk.gen';
import { missing, type Shop } from './shop';
export function shop(baseUrl: string, apiKey: string): Shop {
  const client = createClient(createConfig({ baseUrl, auth: ({ type }) => (type === 'apiKey' ? apiKey : undefined) }));
  return {
    stocks: async () => {
      const { data = missing('catalog') } = await listProducts({ client });
      return data.products.map(({ availableStock }) => availableStock);
    },
    buy: async (key, productId, expectedPriceUsdt) => {
      const headers = { 'Idempotency-Key': key };
      const { data, error } = await placeOrder({ client, headers, body: { productId, expectedPriceUsdt } });
      if (error !== undefined) return { error: error.error, currentPriceUsdt: error.currentPriceUsdt };
      const { orderId, status, delivery, totalPriceUsdt } = data ?? missing('order');
      return { orderId, status, items: delivery?.items, totalPriceUsdt };
    },
    status: async (id) => {
      const { data = missing('order') } = await getOrder({ client, path: { id } });
      return data.status;
    },
    events: async () => {
      const { data = missing('events') } = await listEvents({ client });
      return data.events.map(({ type }) => type);
    },
  };
}
`,
  },
  {
    name: 'orval',
    packages: { orval: '8.38.0' },
    command: ['orval', '--config', 'orval.config.mjs'],
    files: {
      'orval.config.mjs': `
export default {
  purser: {
    input: './api.json',
    output: {
      target: './orval/api.ts', client: 'fetch', mode: 'single',
      override: { mutator: { path: './orval-fetch.ts', name: 'call' }, fetch: { includeHttpResponseReturnType: true } },
    },
  },
};
`,
      'orval-fetch.ts': `
export const settings = { baseUrl: '', apiKey: '' };
export async function call<T>(path: string, options: RequestInit): Promise<T> {
  const headers = { ...options.headers, 'X-API-Key': settings.apiKey };
  const response = await fetch(settings.baseUrl + path, { ...options, headers });
  return { status: response.status, data: await response.json(), headers: response.headers } as T;
}
`,
    },
    program: `
import { getOrder, listEvents, listProducts, placeOrder } from './orval/api';
import { settings } from './orval-fetch';
import { missing, type Shop } from './shop';
export function shop(baseUrl: string, apiKey: string): Shop {
  Object.assign(settings, { baseUrl, apiKey });
  return {
    stocks: async () => {
      const answer = await listProducts();
      if (answer.status !== 200) return missing('catalog');
      return answer.data.products.map(({ availableStock }) => availableStock);
    },
    buy: async (key, productId, expectedPriceUsdt) => {
      const answer = await placeOrder({ productId, expectedPriceUsdt }, { headers: { 'Idempotency-Key': key } });
      if (answer.status !== 201) {
        return { error: answer.data.error, currentPriceUsdt: answer.data.currentPriceUsdt };
      }
      const { orderId, status, delivery, totalPriceUsdt } = answer.data;
      return { orderId, status, items: delivery?.items, totalPriceUsdt };
    },
    status: async (id) => {
      const answer = await getOrder(id);
      return answer.status === 200 ? answer.data.status : missing('order');
    },
    events: async () => {
      const answer = await listEvents();
      return answer.status === 200 ? answer.data.events.map(({ type }) => type) : missing('events');
    },
  };
}
`,
  },
  {
    name: 'oazapfts',
    packages: { oazapfts: '7.5.0', '@oazapfts/runtime': '1.2.0' },
    command: ['oazapfts', 'api.json', 'oazapfts.gen.ts'],
    program: `
import { defaults, getOrder, listEvents, listProducts, placeOrder } from './oazapfts.gen';
import { missing, type Shop } from './shop';
export function shop(baseUrl: string, apiKey: string): Shop {
  defaults.baseUrl = baseUrl;
  defaults.headers = { 'X-API-Key': apiKey };
  return {
    stocks: async () => {
      const answer = await listProducts();
      if (answer.status !== 200) return missing('catalog');
      return answer.data.products.map(({ availableStock }) => availableStock);
    },
    buy: async (key, productId, expectedPriceUsdt) => {
      const answer = await placeOrder(key, { productId, expectedPriceUsdt });
      if (answer.status !== 201) {
        return { error: answer.data.error, currentPriceUsdt: answer.data.currentPriceUsdt };
      }
      const { orderId, status, delivery, totalPriceUsdt } = answer.data;
      return { orderId, status, items: delivery?.items, totalPriceUsdt };
    },
    status: async (id) => {
      const answer = await getOrder(id);
      return answer.status === 200 ? answer.data.status : missing('order');
    },
    events: async () => {
      const answer = await listEvents();
      return answer.status === 200 ? answer.data.events.map(({ type }) => type) : missing('events');
    },
  };
}
`,
  },
  {
    name: 'kubb',
    packages: {
      ...Object.fromEntries(
        ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-zod', 'plugin-client'].map((name) => [
          `@kubb/${name}`,
          '4.39.3',
        ]),
      ),
      zod: '4.3.6',
    },
    command: ['kubb', 'generate', '-c', 'kubb.config.mjs'],
    files: {
      'kubb.config.mjs': `
import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import { pluginZod } from '@kubb/plugin-zod';
export default defineConfig({
  root: '.',
  input: { path: './api.json' },
  output: { path: './kubb', format: false, lint: false },
  plugins: [
    pluginOas({ generators: [] }), pluginTs(), pluginZod(),
    pluginClient({ client: 'fetch', bundle: true, dataReturnType: 'full' }),
  ],
});
`,
    },
    program: `
import { setConfig } from './kubb/.kubb/fetch';
import { getOrder, listEvents, listProducts, placeOrder } from './kubb/clients';
import type { ErrorAnswer } from './kubb/types';
import { catalogSchema, eventsSchema, orderSchema } from './kubb/zod';
import type { Shop } from './shop';
export function shop(baseURL: string, apiKey: string): Shop {
  setConfig({ baseURL, headers: { 'X-API-Key': apiKey } });
  return {
    stocks: async () =>
      catalogSchema.parse((await listProducts()).data).products.map(({ availableStock }) => availableStock),
    buy: async (key, productId, expectedPriceUsdt) => {
      const headers = { 'Idempotency-Key': key, 'Content-Type': 'application/json' };
      const answer = await placeOrder({ productId, quantity: 1, expectedPriceUsdt }, { 'Idempotency-Key': key }, { headers });
      if (answer.status !== 201) {
        const { error, currentPriceUsdt } = answer.data as unknown as ErrorAnswer;
        return { error, currentPriceUsdt };
      }
      const { orderId, status, delivery, totalPriceUsdt } = answer.data;
      return { orderId, status, items: delivery?.items, totalPriceUsdt };
    },
    status: async (id) => orderSchema.parse((await getOrder(id)).data).status,
    events: async () => eventsSchema.parse((await listEvents()).data).events.map(({ type }) => type),
  };
}
`,
  },
];
