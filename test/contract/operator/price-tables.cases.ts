/** COMMERCE.md §3: prices of a list from a table. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { casesOf, known } from '../scene.ts';

type Fields = Readonly<Record<string, unknown>>;

export const priceTables = casesOf('operator API: tables of prices', (scene) => {
  const send = (priceListId: number, table: string, query = '') =>
    scene.operator.request(
      'POST',
      `/price-lists/${priceListId}/import${query}`,
      { 'content-type': 'text/csv' },
      new Uint8Array(Buffer.from(table)),
    );

  async function imported(priceListId: number, table: string, query = ''): Promise<Fields> {
    const reply = await send(priceListId, table, query);
    assertDone(reply, 200);
    const { success: _success, requestId: _id, ...fields } = JSON.parse(reply.text) as Fields;
    return fields;
  }

  async function staged() {
    const made = await scene.operator.json('POST', '/price-lists', { name: 'Imported' });
    const priceListId = known((JSON.parse(made.text) as { priceListId?: number }).priceListId);
    const sku = `p-${randomUUID()}`;
    const first = await scene.product({ stock: 0 });
    const second = await scene.product({ stock: 0 });
    assertDone(await scene.operator.json('PATCH', `/products/${second}`, { sku }), 200);
    const pricesOf = async () => {
      const reply = await scene.operator.json('GET', `/price-lists/${priceListId}`);
      return (JSON.parse(reply.text) as { prices: Fields[] }).prices;
    };
    return { priceListId, first, second, sku, pricesOf };
  }

  const counts = (created: number, updated: number, unchanged: number) => ({
    ...{ created, updated, unchanged, errorCount: 0, errors: [] },
  });

  test('products are found by sku or id; a dry run tells old, new and the newest cost, and changes nothing', async () => {
    const { priceListId, first, second, sku, pricesOf } = await staged();
    const stock = { items: [randomUUID()] };
    assertDone(await scene.operator.json('POST', `/products/${first}/stock?costUsdt=1.25`, stock), 201);
    const table = `priceUsdt;productId;sku;priceTiers\r\n3.10;${first};;10:3.00 100:2.999\r\n"2.00";;${sku};\r\n`;
    const dry = await imported(priceListId, table, '?dryRun=true');
    assert.deepEqual(dry, {
      ...counts(2, 0, 0),
      lines: [
        { line: 2, productId: first, oldPriceUsdt: null, newPriceUsdt: 3.1, newestCostUsdt: 1.25 },
        { line: 3, productId: second, oldPriceUsdt: null, newPriceUsdt: 2, newestCostUsdt: null },
      ],
    });
    assert.deepEqual(await pricesOf(), []);
    assert.deepEqual(await imported(priceListId, table), counts(2, 0, 0));
    const priceTiers = [
      { minQuantity: 10, priceUsdt: 3 },
      { minQuantity: 100, priceUsdt: 2.999 },
    ];
    assert.deepEqual(await pricesOf(), [
      { productId: first, priceUsdt: 3.1, priceTiers },
      { productId: second, priceUsdt: 2, priceTiers: [] },
    ]);
    assert.deepEqual(await imported(priceListId, table), counts(0, 0, 2));
    const changes = `productId,priceUsdt\n${first},3.20\n${second},\n`;
    assert.deepEqual(await imported(priceListId, changes), counts(0, 1, 1));
    assert.deepEqual(await pricesOf(), [
      { productId: first, priceUsdt: 3.2, priceTiers },
      { productId: second, priceUsdt: 2, priceTiers: [] },
    ]);
  });

  test('with an error nothing changes, unless bad lines are left out; each error has its line and column', async () => {
    const { priceListId, first, second, sku, pricesOf } = await staged();
    const table = [
      'sku,productId,priceUsdt,priceTiers',
      `,${first},1.00,`,
      ',999999999,1.00,',
      'no-such-sku,,1.00,',
      `,${first},2.00,`,
      `${sku},${first},1.00,`,
      `${sku},,1.005,`,
      `${sku},,,10:1.00`,
      ',,1.00,',
    ].join('\n');
    const refused = await imported(priceListId, table);
    const told = (refused.errors as Fields[]).map(({ line, column }) => [line, column]);
    const where = [
      [3, 'productId'],
      [4, 'sku'],
      [5, 'productId'],
      [6, 'sku'],
      [7, 'priceUsdt'],
      [8, 'priceUsdt'],
      [9, 'sku'],
    ];
    assert.deepEqual([refused.errorCount, told], [where.length, where]);
    assert.deepEqual(await pricesOf(), []);
    const done = await imported(priceListId, table, '?leaveOutBadLines=true');
    assert.deepEqual([done.created, done.errorCount], [1, where.length]);
    assert.deepEqual(await pricesOf(), [{ productId: first, priceUsdt: 1, priceTiers: [] }]);
    assert.notEqual(first, second);
  });

  test('a column that is missing, unknown or there twice is 400 with its name, and so is no list', async () => {
    const { priceListId, first } = await staged();
    for (const [table, name] of [
      ['priceUsdt\n1.00\n', 'sku'],
      ['sku\nx\n', 'priceUsdt'],
      ['productId,priceUsdt,prise\n', 'prise'],
      ['productId,priceUsdt,priceUsdt\n', 'priceUsdt'],
      ['', 'empty'],
    ] as const) {
      const reply = await send(priceListId, table);
      assertRefused(reply, 400, 'BAD_REQUEST');
      assert.match(reply.body.message ?? '', new RegExp(name));
    }
    assertRefused(await send(999_999_999, `productId,priceUsdt\n${first},1\n`), 404, 'NOT_FOUND');
  });
});
