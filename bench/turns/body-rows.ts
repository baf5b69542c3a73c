/** The largest bodies: of operators, of suppliers' reports and of suppliers' answers. */
import type { Call } from './turns-client.ts';
import { ITEMS_NOW, ITEMS_PENDING } from './turns-client.ts';
import type { Row, Shop } from './turns-shop.ts';

const ITEMS = 10_000;
const SECRET = 'a-secret-of-the-benchmark-0123456789';
/** JSON of 8 MB, or a little less. */
const EMPTY_OBJECTS = 2_700_000;
const SHAPES = 400_000;

/** 4 MB, or twice that as JSON. */
function texts(shop: Shop): readonly string[] {
  const one = shop.newKey();
  return Array.from({ length: ITEMS }, (_, item) => `${one}-${item}`.padEnd(395, '"'));
}

export async function bodyRows(shop: Shop, product: (fields: object) => Call): Promise<Row[]> {
  const stocked = await shop.id(product({}));
  const upload = (json: string): Call => ({
    ...shop.operator('POST', `/products/${stocked}/stock`),
    body: json,
  });
  const url = await shop.supplierUrl;
  const supplierId = await shop.id(shop.operator('POST', '/suppliers', { name: 's', url, secret: SECRET }));
  const supplied = (supplierSku: string) => shop.id(product({ supplierId, supplierSku }));
  const pending = await supplied(ITEMS_PENDING);
  const now = await supplied(ITEMS_NOW);
  const bought = (productId: number) =>
    shop.buyer('POST', '/orders', { productId, quantity: ITEMS, expectedPriceUsdt: ITEMS / 100 });
  let last: Call | undefined;
  return [
    {
      name: 'POST /products/{id}/stock, JSON, 8 MB',
      calls: () => {
        const items = Array.from({ length: 150_000 }, (_, item) =>
          `${shop.newKey()}-${item}`.padEnd(50, 'x'),
        );
        return [upload(JSON.stringify({ items }))];
      },
    },
    {
      name: 'the same of the shortest items, and a number',
      calls: () => [upload(`{"items":[${'"x",'.repeat(2_000_000)}1]}`)],
    },
    {
      name: 'the same of empty objects',
      calls: () => [upload(`{"items":[${'{},'.repeat(EMPTY_OBJECTS)}{}]}`)],
    },
    {
      name: 'PATCH /products/{id}, 256 KB of objects',
      calls: () => {
        const shapes = Array.from({ length: 20_000 }, (_, at) => `{"${at.toString(36)}":1}`);
        const body = `{"priceTiers":[${shapes.join()}]}`;
        return [{ ...shop.operator('PATCH', `/products/${stocked}`), body }];
      },
    },
    {
      name: 'POST /suppliers, 64 KB of objects',
      calls: () => {
        const shapes = Array.from({ length: 5_000 }, (_, at) => `{"${at.toString(36)}":1}`);
        return [{ ...shop.operator('POST', '/suppliers'), body: `{"name":[${shapes.join()}]}` }];
      },
    },
    {
      name: 'supplier callback, 8 MB, delivered',
      calls: async () => {
        await shop.send(bought(pending));
        const { text } = await shop.send(shop.operator('GET', '/supplier-purchases'));
        const [, reference = ''] = /"reference":"([^"]+)"/.exec(text) ?? [];
        const json = JSON.stringify({ items: texts(shop), reference, status: 'delivered' });
        last = shop.report(supplierId, SECRET, reference, json);
        return [last];
      },
    },
    { name: 'the same again', calls: () => (last === undefined ? [] : [last]) },
    {
      name: 'supplier callback, 8 MB of objects, signed',
      calls: () => {
        const shapes = Array.from({ length: SHAPES }, (_, at) => `{"${at.toString(36)}":1}`);
        const json = `{"reference":"r","items":[${shapes.join()}]}`;
        return [shop.report(supplierId, SECRET, 'r', json)];
      },
    },
    {
      name: 'supplier callback, 8 MB, forged',
      calls: () => [
        shop.report(supplierId, 'another', 'r', `{"items":["${'"reference" '.repeat(700_000)}"]}`),
      ],
    },
    { name: 'POST /orders of a supplier, 8 MB', calls: () => [bought(now)] },
  ];
}
