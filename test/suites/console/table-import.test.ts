/** Imports of products and prices from tables, in a real browser with a real node. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ok } from '../../support/operator-client.ts';
import { assertWellShown, consoleForTests, IN_BROWSER } from './console-under-test.ts';

interface FileCase {
  readonly kind: string;
  readonly bytes: Buffer;
  readonly charset?: 'windows-1252';
  /** The texts that the dry run shows. */
  readonly says: readonly string[];
  /** The product that comes of it, by its sku; without it nothing does. */
  readonly sku?: string;
  readonly makes?: Readonly<Record<string, unknown>>;
}

const HEAD = 'sku,name,priceUsdt';
const UTF_16 = Buffer.concat([
  Buffer.from([0xff, 0xfe]),
  Buffer.from(`${HEAD}\r\nwide,Fünf €,5\r\n`, 'utf16le'),
]);
/** Of Windows-1252, where a € is 0x80. */
const ANSI = Buffer.from(`${HEAD}\nansi,F\u00fcnf \u0080,5\n`, 'latin1');

const FILES: readonly FileCase[] = [
  {
    kind: 'UTF-8 with a mark',
    bytes: Buffer.from(`\ufeff${HEAD}\nmarked,Für Sie,9.50\n`),
    says: ['Für Sie'],
    sku: 'marked',
    makes: { name: 'Für Sie', priceUsdt: 9.5 },
  },
  { kind: 'UTF-16LE', bytes: UTF_16, says: ['Fünf €'], sku: 'wide', makes: { name: 'Fünf €' } },
  {
    kind: 'Windows-1252 that nobody says',
    bytes: ANSI,
    says: ['not valid UTF-8', 'choose Windows-1252 as its encoding'],
  },
  {
    kind: 'Windows-1252 that is said',
    bytes: ANSI,
    charset: 'windows-1252',
    says: ['Fünf €'],
    sku: 'ansi',
    makes: { name: 'Fünf €' },
  },
  {
    kind: 'semicolons',
    bytes: Buffer.from('sku;name;priceUsdt;minQuantity\r\nsemi;A, with a comma;1.25;2\r\n'),
    says: ['A, with a comma'],
    sku: 'semi',
    makes: { name: 'A, with a comma', priceUsdt: 1.25, minQuantity: 2 },
  },
  {
    kind: 'tabs',
    bytes: Buffer.from('sku\tname\tpriceUsdt\r\ntabbed\tTabs, too\t3\r\n'),
    says: ['Tabs, too'],
    sku: 'tabbed',
    makes: { name: 'Tabs, too', priceUsdt: 3 },
  },
  {
    kind: 'quotes with line breaks',
    bytes: Buffer.from(`${HEAD},description\nquoted,"A ""good"" one",2,"first\nsecond"\n`),
    says: ['A "good" one'],
    sku: 'quoted',
    makes: { name: 'A "good" one', description: 'first\nsecond' },
  },
  { kind: 'a missing column', bytes: Buffer.from('sku,name\nx,X\n'), says: ['"priceUsdt" is missing'] },
  {
    kind: 'an unknown column',
    bytes: Buffer.from('sku,naem,priceUsdt\nx,X,1\n'),
    says: ['"naem" is not known'],
  },
  {
    kind: 'a sku twice',
    bytes: Buffer.from(`${HEAD}\ntwice,One,1\ntwice,Two,2\n`),
    says: ['Line 2 has the same sku.'],
  },
  { kind: 'an empty file', bytes: Buffer.alloc(0), says: ['The table is empty'] },
];

describe('imports of tables in the console', IN_BROWSER, () => {
  const shop = consoleForTests();
  before(async () => {
    await ok(shop.operator.createProduct({ name: 'Game card', priceUsdt: 10 }));
    await ok(shop.operator.json('PATCH', '/products/1', { sku: 'card', attributes: { region: 'EU' } }));
  });

  const get = async (path: string) => JSON.parse((await shop.operator.json('GET', path)).text);
  const products = async () => (await get('/products')).products as Readonly<Record<string, unknown>>[];

  async function choose(page: Page, action: string, name: string, buffer: Buffer) {
    await page.getByRole('button', { name: action }).click();
    const dialog = page.getByRole('dialog', { name: action });
    await dialog.getByLabel('Table').setInputFiles({ name, mimeType: 'text/csv', buffer });
    return { dialog, confirm: dialog.getByRole('button', { name: action }) };
  }

  it('take what spreadsheets write, and say what is wrong with the rest', async () => {
    const page = await shop.tab({ hash: '#/products', expected: /status of 400/ });
    for (const { kind, bytes, charset, says, sku, makes } of FILES) {
      const count = (await products()).length;
      const { dialog, confirm } = await choose(page, 'Import products', 'products.csv', bytes);
      if (charset !== undefined) await dialog.getByLabel('Encoding').selectOption(charset);
      for (const text of says) await dialog.getByText(text).first().waitFor();
      await confirm.click();
      if (makes === undefined) {
        await dialog.getByText(/^Nothing (was|is) imported/).waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
      } else {
        await page.getByRole('status').getByText('Imported: 1 new, 0 changed.').waitFor();
        await dialog.getByRole('button', { name: 'Close' }).click();
      }
      await dialog.waitFor({ state: 'detached' });
      const now = await products();
      assert.equal(now.length, count + (makes === undefined ? 0 : 1), kind);
      const made = now.find((product) => product.sku === sku) ?? {};
      for (const [field, value] of Object.entries(makes ?? {})) assert.deepEqual(made[field], value, kind);
    }
  });

  it('show old and new, and leave out bad lines when that is chosen, with the command line that does the same', async () => {
    const page = await shop.tab({ hash: '#/products' });
    const table = `${HEAD},active,attributes.region,priceTiers\ncard,,8.75,false,US,10:8.50\nbad,Bad,free,,,\nnew,New one,3,,,\n`;
    const { dialog, confirm } = await choose(page, 'Import products', 'my products.csv', Buffer.from(table));
    const changes = dialog.getByRole('table', { name: 'Changes' });
    const row = (field: string) =>
      changes.getByRole('row').filter({ hasText: field }).first().allInnerTexts();
    await changes.waitFor();
    assert.match(String(await row('priceUsdt')), /10\s+8\.75/);
    assert.match(String(await row('active')), /yes\s+no/);
    assert.match(String(await row('attributes')), /region: EU\s+region: US/);
    assert.match(String(await row('priceTiers')), /none\s+from 10: 8\.50/);
    await dialog.getByRole('table', { name: 'Errors' }).getByText('priceUsdt must be a price').waitFor();
    await assertWellShown(page);
    await confirm.click();
    await dialog.getByRole('alert').getByText('Nothing was imported: 1 line is bad.').waitFor();
    assert.equal((await get('/products/1')).priceUsdt, 10);
    await dialog.getByLabel('Leave out bad lines').check();
    await dialog.getByText("purser product import 'my products.csv' --leave-out-bad-lines").waitFor();
    await confirm.click();
    await page.getByRole('status').getByText('Imported: 1 new, 1 changed.').waitFor();
    await dialog.getByText('Left out').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const { priceUsdt, active, name, attributes } = await get('/products/1');
    assert.deepEqual([priceUsdt, active, name, attributes], [8.75, false, 'Game card', { region: 'US' }]);
    await page.getByRole('row', { name: /New one/ }).waitFor();

    await page.getByRole('button', { name: 'Export products' }).click();
    const exporting = page.getByRole('dialog', { name: 'Export products' });
    await exporting.getByText('purser product export > products.csv').waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      exporting.getByRole('button', { name: 'Export products' }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), 'products.csv');
    const exported = readFileSync(await saved.path());
    assert.match(exported.toString('utf8'), /^sku,name,priceUsdt,.*\r\ncard,Game card,8\.75/m);
    const again = await choose(page, 'Import products', 'products.csv', exported);
    await again.dialog.getByText('Would change').waitFor();
    await again.confirm.click();
    await again.dialog.getByText('Nothing was imported: nothing would change.').waitFor();
  });

  it('of prices say what they were and what items cost, and are made once when the answer got lost', async () => {
    await ok(shop.operator.json('POST', '/price-lists', { name: 'Gold' }));
    await ok(shop.operator.json('POST', '/products/1/stock?costUsdt=8', { items: ['CODE-1'] }));
    const page = await shop.tab({
      hash: '#/price-lists/1',
      expected: /net::ERR_CONNECTION_RESET|status of 429/,
    });
    const busy = { success: false, error: 'RATE_LIMITED', message: 'Another table is being imported.' };
    await page.route('**/import?dryRun=true', (route) => route.fulfill({ status: 429, json: busy }), {
      times: 1,
    });
    const table = Buffer.from('sku;priceUsdt;priceTiers\ncard;7.5;10:7.25\n');
    const { dialog, confirm } = await choose(page, 'Import prices', 'prices.csv', table);
    await dialog.getByText('Another table is being imported. This goes on after it.').waitFor();
    await dialog.getByRole('table', { name: 'Prices' }).getByText('8.00 above the price').waitFor();
    await dialog.getByText('purser price import 1 prices.csv').waitFor();
    await page.route(
      (url) => url.pathname.endsWith('/import') && !url.searchParams.has('dryRun'),
      async (route) => {
        await route.fetch();
        await route.abort('connectionreset');
      },
      { times: 1 },
    );
    await confirm.click();
    await page.getByRole('status').getByText('Imported: 0 new, 0 changed.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const { prices } = await get('/price-lists/1');
    const priceTiers = [{ minQuantity: 10, priceUsdt: 7.25 }];
    assert.deepEqual(prices, [{ productId: 1, priceUsdt: 7.5, priceTiers }]);
    await page.getByRole('table', { name: 'Prices' }).getByText('from 10: 7.25').waitFor();
  });
});
