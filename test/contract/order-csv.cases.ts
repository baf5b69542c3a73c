/** COMMERCE.md §9: the list of orders as CSV, by API and by command. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { purser } from '../cli/fake-operator.ts';
import { csvRows } from '../support/csv-rows.ts';
import { casesOf, freshIdempotencyKey, known } from './scene.ts';

type Row = Readonly<Record<string, unknown>>;

const ZONE = 'Asia/Kathmandu';
const CSV = { accept: 'text/csv' };
const COLUMNS =
  'orderId createdAt accountId productId quantity status totalPriceUsdt refundedUsdt balanceAfterUsdt priceRule priceListId recipientUsername idempotencyKey requestId timeZone'.split(
    ' ',
  );

export const orderCsv = casesOf('operator API: orders as CSV', (scene) => {
  test('has a line for each order of the list, by the same filters, in the time of a zone, and runs nothing', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: 5 });
    const path = `/orders?accountId=${buyer.accountId}`;
    const ids: number[] = [];
    for (const key of ['=1+1', 'a,b "c"', freshIdempotencyKey()]) {
      const { body } = await scene.buy(buyer, productId, 1, 3.5, key);
      ids.push(known(body.orderId));
    }
    await scene.operator.moveOrder(known(ids[2]), 'refund');
    await scene.operator.openOrder({ accountId: buyer.accountId, productId });
    const list = async (query: string) =>
      JSON.parse((await scene.operator.json('GET', `${path}${query}`)).text) as {
        orders: Row[];
        timeZone?: string;
      };
    const table = async (query: string) => (await scene.operator.request('GET', `${path}${query}`, CSV)).text;
    for (const query of ['', `&timeZone=${ZONE}`, '&status=completed', `&from=2020-01-01&timeZone=${ZONE}`]) {
      const { orders, timeZone = 'UTC' } = await list(query);
      assert.equal(timeZone, query.includes(ZONE) ? ZONE : 'UTC');
      const [head, ...rows] = csvRows(await table(query));
      assert.deepEqual(head, COLUMNS);
      const expected = orders.map((order) => ({ ...order, timeZone }) as Row);
      assert.equal(rows.length, query.includes('completed') ? 2 : 4);
      for (const [at, row] of rows.entries()) {
        const cells = COLUMNS.map((column) => String(expected[at]?.[column] ?? ''));
        const [, , ...told] = row;
        assert.deepEqual([Number(row[0]), Date.parse(row[1] ?? '')], [Number(cells[0]), Number(cells[1])]);
        assert.match(row[1] ?? '', timeZone === ZONE ? /\+05:45$/ : /Z$/);
        assert.deepEqual(
          told,
          cells.slice(2).map((cell) => (cell.startsWith('=') ? `'${cell}` : cell)),
        );
      }
    }
    const excel = await table('&excel=true');
    assert.equal(excel.startsWith('\ufefforderId,'), true);
    assert.ok(excel.includes('"=""=1+1"""'), excel);
    const { operatorUrl, operatorToken } = scene.server;
    const env = { PURSER_OPERATOR_URL: operatorUrl, PURSER_OPERATOR_TOKEN: operatorToken };
    const flags = [
      '--account-id',
      String(buyer.accountId),
      '--csv',
      '--time-zone',
      ZONE,
      '--from',
      '2020-01-01',
    ];
    const { stdout, exitCode } = await purser(['order', 'list', ...flags], { env });
    assert.deepEqual([exitCode, stdout], [0, await table(`&from=2020-01-01&timeZone=${ZONE}`)]);
  });

  test('has the days of the zone, and no pages', async () => {
    const buyer = await scene.buyer();
    const bought = await scene.buy(buyer, await scene.product({ stock: 1 }), 1);
    const [order] = JSON.parse(
      (await scene.operator.json('GET', `/orders?accountId=${buyer.accountId}`)).text,
    ).orders;
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Kiritimati' }).format(order.createdAt);
    const before = new Intl.DateTimeFormat('en-CA', { timeZone: 'Pacific/Pago_Pago' }).format(
      order.createdAt,
    );
    assert.notEqual(day, before, 'they are 25 hours apart');
    for (const [zone, from, count] of [
      ['Pacific/Kiritimati', day, 1],
      ['Pacific/Pago_Pago', day, 0],
      ['Pacific/Pago_Pago', before, 1],
    ] as const) {
      const path = `/orders?accountId=${buyer.accountId}&from=${from}&timeZone=${zone}`;
      const rows = csvRows((await scene.operator.request('GET', path, CSV)).text);
      assert.deepEqual(
        rows.slice(1).map(([orderId]) => Number(orderId)),
        count === 1 ? [bought.body.orderId] : [],
        path,
      );
    }
    for (const [query, headers, says] of [
      ['limit=5', CSV, 'leave out cursor and limit'],
      ['cursor=5', CSV, 'leave out cursor and limit'],
      ['excel=true', {}, 'send Accept: text/csv'],
      ['excel=yes', CSV, 'excel must be true or false'],
      ['timeZone=Mars/Base', {}, 'timeZone is "Mars/Base"'],
      ['status=lost', CSV, 'status must be one of'],
    ] as const) {
      const { status, text } = await scene.operator.request('GET', `/orders?${query}`, headers);
      assert.equal(status, 400, query);
      assert.ok(text.includes(JSON.stringify(says).slice(1, -1)), text);
    }
  });
});
