/** Imports of tables: of products that are new, changed and as they are, and of the prices of a list. */
import type { Call } from './turns-client.ts';
import type { Row, Shop } from './turns-shop.ts';

const LINES = 10_000;

export async function importRows(shop: Shop): Promise<Row[]> {
  const made = await shop.send(shop.operator('POST', '/price-lists', { name: 'a' }));
  const { priceListId } = JSON.parse(made.text) as { priceListId: number };
  const prices = `/price-lists/${priceListId}/import`;
  const upload = (path: string, head: string, line: (at: number) => string): Call =>
    shop.operator('POST', path, undefined, {
      type: 'text/csv',
      body: `${head}\n${Array.from({ length: LINES }, (_, at) => line(at)).join('\n')}\n`,
    });
  const products = (query: string, name: string, tag: string, price: number) => [
    upload(
      `/products/import${query}`,
      'sku,name,priceUsdt,description,category',
      (at) => `${tag}-${at},${name} ${at},${price},"${'What it is for. '.repeat(10)}",Category ${at % 50}`,
    ),
  ];
  let rounds = 0;
  const next = () => (rounds += 1);
  const dry = '?dryRun=true';
  await shop.send(...products('', 'Product', 'a', 1));
  return [
    { name: 'POST /products/import, new, dry run', calls: () => products(dry, 'New', 'new', next()) },
    { name: 'POST /products/import, new', calls: () => products('', 'New', `new-${next()}`, 1) },
    { name: 'POST /products/import, unchanged', calls: () => products('', 'Product', 'a', 1) },
    { name: 'POST /products/import, changed, dry run', calls: () => products(dry, 'Changed', 'a', next()) },
    { name: 'POST /products/import, changed', calls: () => products('', `Changed ${next()}`, 'a', 1) },
    {
      name: 'POST /price-lists/{id}/import, dry run',
      calls: () => [upload(prices + dry, 'sku,priceUsdt', (at) => `a-${at},${next()}`)],
    },
    {
      name: 'POST /price-lists/{id}/import',
      calls: () => [upload(prices, 'sku,priceUsdt', (at) => `a-${at},${next() % 9_000}`)],
    },
  ];
}
