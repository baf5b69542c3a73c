/** GET /overview: what a page shows of the shop, and that it is right at once. Other cases buy meanwhile, but not here. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import { casesOf, known } from '../scene.ts';

interface Overview {
  readonly at: number;
  readonly ready: boolean;
  readonly sold: Readonly<Record<'orders' | 'units' | 'usdt', number>>;
  readonly purchases: { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number };
  readonly refusals: readonly { readonly error: string; readonly count: number }[];
  readonly minutes: readonly { readonly at: number; readonly orders: number }[];
  readonly attention: Readonly<Record<string, number>>;
  readonly masterKeyFrom: string;
  readonly masterKeySaved?: boolean;
  readonly disk: Readonly<Record<'freeBytes' | 'totalBytes', number>> | null;
}

export const overview = casesOf('operator API: overview', (scene) => {
  const read = async () => JSON.parse((await scene.operator.json('GET', '/overview')).text) as Overview;

  test('a sale and a refusal are in it at once, and in its newest minute; the disk once it was looked at', async () => {
    const { apiKey } = await scene.buyer({ balanceUsdt: 10 });
    const productId = await scene.product({ stock: 4 });
    const figures = ({ sold, refusals }: Overview) => [
      ...[sold.orders, sold.units, Math.round(sold.usdt * 100)],
      refusals.find(({ error }) => error === 'OUT_OF_STOCK')?.count ?? 0,
    ];
    const before = figures(await read());
    for (const [quantity, status] of [[2, 201] as const, [3, 409] as const]) {
      const reply = await scene.buy({ apiKey }, productId, quantity);
      assert.equal(reply.status, status);
    }
    const after = await read();
    assert.deepEqual(
      figures(after).map((figure, index) => figure - known(before[index])),
      [1, 2, 700, 1],
    );
    // The node made it: so it is lost with its folder, unless somebody copies it.
    assert.deepEqual([after.masterKeyFrom, after.masterKeySaved], ['file', false]);
    const { purchases, minutes, at, ready } = after;
    assert.ok(purchases.perSecond > 0 && purchases.p50Ms > 0 && purchases.p99Ms >= purchases.p50Ms);
    const inMinutes = minutes.reduce((all, { orders }) => all + orders, 0);
    assert.equal(inMinutes, after.sold.orders);
    assert.ok(ready && minutes.length <= 61 && known(minutes.at(-1)).at <= at);
    await eventually('the disk was looked at', async () => ((await read()).disk?.freeBytes ?? 0) > 0);
  });

  test('deliveries by hand are counted as soon as they wait, and no longer than that', async () => {
    const { apiKey } = await scene.buyer();
    const productId = await scene.product({ type: 'manual' });
    const waiting = async () => (await read()).attention.deliveries ?? 0;
    const before = await waiting();
    const orders: number[] = [];
    for (let count = 1; count <= 2; count += 1) {
      const bought = await scene.buy({ apiKey }, productId);
      orders.push(known(bought.body.orderId));
      assert.equal(await waiting(), before + count);
    }
    await ok(scene.operator.moveOrder(known(orders[0]), 'complete', { items: ['done'] }));
    await ok(scene.operator.moveOrder(known(orders[1]), 'fail', {}));
    assert.equal(await waiting(), before);
  });
});
