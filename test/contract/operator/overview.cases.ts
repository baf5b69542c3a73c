/** GET /overview: what a page shows of the shop, and that it is right at once. Other cases buy meanwhile, but not here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { casesOf, freshIdempotencyKey, known } from '../scene.ts';

interface Overview {
  readonly at: number;
  readonly ready: boolean;
  readonly journalPosition: number;
  readonly sold: Readonly<Record<'orders' | 'units' | 'usdt', number>>;
  readonly purchases: { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number };
  readonly refusals: readonly { readonly error: string; readonly count: number; readonly lastHour: number }[];
  readonly minutes: readonly Readonly<Record<'at' | 'seconds' | 'orders' | 'units' | 'usdt', number>>[];
  readonly attention: Readonly<Record<string, number>>;
  readonly backup: unknown;
  readonly disk: Readonly<Record<'freeBytes' | 'totalBytes', number>> | null;
}

export const overview = casesOf('operator API: overview', (scene) => {
  const read = async () => JSON.parse((await scene.operator.json('GET', '/overview')).text) as Overview;
  const refusalsOf = ({ refusals }: Overview, code: string) =>
    refusals.find(({ error }) => error === code)?.count ?? 0;

  test('a sale and a refusal are in it at once, and in its newest minute', async () => {
    const { apiKey } = await scene.buyer({ balanceUsdt: 10 });
    const productId = await scene.product({ stock: 4 });
    const before = await read();
    const buy = (quantity: number) => {
      const body = { productId, quantity, expectedPriceUsdt: 3.5 * quantity };
      return scene.buyers.purchase(apiKey, freshIdempotencyKey(), body);
    };
    assert.equal((await buy(2)).status, 201);
    assert.equal((await buy(3)).status, 409);
    const after = await read();
    assert.deepEqual(
      [
        after.sold.orders - before.sold.orders,
        after.sold.units - before.sold.units,
        Math.round((after.sold.usdt - before.sold.usdt) * 100),
      ],
      [1, 2, 700],
    );
    const [refused, before409] = [after, before].map((each) => refusalsOf(each, 'OUT_OF_STOCK'));
    assert.equal(refused, known(before409) + 1);
    const { purchases, minutes, at } = after;
    assert.ok(purchases.perSecond > 0 && purchases.p50Ms > 0 && purchases.p99Ms >= purchases.p50Ms);
    const inMinutes = minutes.reduce((all, { orders }) => all + orders, 0);
    assert.equal(inMinutes, after.sold.orders);
    assert.ok(minutes.length <= 61 && known(minutes.at(-1)).at <= at);
    assert.ok(after.ready && after.journalPosition > before.journalPosition);
    assert.equal(after.backup, null);
  });

  test('deliveries by hand are counted as soon as they wait, and no longer than that', async () => {
    const { apiKey } = await scene.buyer();
    const productId = await scene.product({ type: 'manual' });
    const waiting = async () => (await read()).attention.deliveries ?? 0;
    const before = await waiting();
    const orders: number[] = [];
    for (let count = 1; count <= 2; count += 1) {
      const body = { productId, expectedPriceUsdt: 3.5 };
      const bought = await scene.buyers.purchase(apiKey, freshIdempotencyKey(), body);
      orders.push(known(bought.body.orderId));
      assert.equal(await waiting(), before + count);
    }
    await ok(scene.operator.moveOrder(known(orders[0]), 'complete', { items: ['done'] }));
    assert.equal(await waiting(), before + 1);
    await ok(scene.operator.moveOrder(known(orders[1]), 'fail', {}));
    assert.equal(await waiting(), before);
  });

  test('the disk is in it, once it was looked at', async () => {
    await eventually('the disk was looked at', async () => (await read()).disk !== null);
    const disk = known((await read()).disk ?? undefined);
    assert.ok(disk.freeBytes > 0 && disk.totalBytes >= disk.freeBytes);
  });

  test('who only scrapes may not read it', async () => {
    const input = { name: `scraper-${Date.now()}`, role: 'metrics' };
    const { token } = await ok(scene.operator.json('POST', '/operators', input));
    const headers = { authorization: `Bearer ${known(token)}` };
    assert.equal((await scene.operator.request('GET', '/overview', headers)).status, 403);
  });
});
