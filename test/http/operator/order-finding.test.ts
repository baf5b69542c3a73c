/** Finding an order by what a buyer says of it, and telling how it came about: over HTTP, with a webhook's receiver. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertDone, assertRefused } from '../../contract/operator-reply.ts';
import { CheckedOperatorClient } from '../../support/checked-operator-client.ts';
import { eventually } from '../../support/eventually.ts';
import type { OperatorReply } from '../../support/operator-client.ts';
import { type Subscriber, WebhookNode } from '../../webhooks/webhook-node.ts';

interface Event {
  readonly at: number;
  readonly type: string;
  readonly operator?: string;
  readonly reason?: string;
  readonly status?: string | number;
  readonly requestId?: string;
  readonly seq?: number;
}

describe('finding orders', { timeout: 120_000 }, () => {
  let node: WebhookNode;
  let shop: Subscriber;
  let productId: number;
  let orderId: number;
  let requestId: string;

  before(async () => {
    node = await WebhookNode.prepare([]);
    await node.network.receiver('shop.test');
    [shop] = (await node.subscribe({ host: 'shop.test', events: ['order.completed'] })) as [Subscriber];
    const { operator } = node.server;
    const product = { name: 'Top-up', description: '', instructions: '', type: 'standard', priceUsdt: 2 };
    productId = (await operator.createProduct(product)).body.productId ?? 0;
    await operator.addStock(productId, ['SECRET-1', 'SECRET-2', 'SECRET-3']);
    const bought = await node.server.buyers.purchase(shop.apiKey, 'basket 17', {
      productId,
      quantity: 1,
      expectedPriceUsdt: 2,
      recipient: { username: '@Anna_1' },
    });
    assert.equal(bought.status, 201, bought.text);
    orderId = Number(bought.body.orderId);
    requestId = String(bought.body.requestId);
  });
  after(() => node.close());

  const get = (path: string): Promise<OperatorReply> => node.server.operator.json('GET', path);

  test('a buyer’s word for an order leads to it', async () => {
    const { accountId } = shop;
    const found = [
      `requestId=${requestId}`,
      `accountId=${accountId}&idempotencyKey=basket%2017`,
      'recipient=anna_1',
      'recipient=%40ANNA_1',
      `accountId=${accountId}&productId=${productId}&status=completed&recipient=Anna_1&from=2020-01-01`,
      `requestId=${requestId}&to=2100-01-01T00:00:00Z`,
    ];
    const missed = [
      'requestId=req_1790000000000_0',
      `accountId=${accountId}&idempotencyKey=basket`,
      'recipient=bruno',
      `requestId=${requestId}&status=failed`,
      `accountId=${accountId}&to=2020-01-01`,
      'from=2100-01-01',
    ];
    for (const query of [...found, ...missed]) {
      const reply = await get(`/orders?${query}`);
      assertDone(reply, 200);
      const ids = reply.body.orders?.map((order) => order.orderId);
      assert.deepEqual(ids, found.includes(query) ? [orderId] : [], query);
    }
    const refused = [
      'acountId=2',
      'idempotencyKey=k',
      'requestId=17',
      'from=monday',
      'recipient=',
      'from=2026-02-02&to=2026-02-01',
    ];
    for (const query of refused) assertRefused(await get(`/orders?${query}`), 400, 'BAD_REQUEST');
  });

  test('a timeline has request, purchase, webhook, who looked and who refunded, and no text of an item', async () => {
    const { operator, process } = node.server;
    const anna = await operator.json('POST', '/operators', { name: 'anna', role: 'support' });
    assertDone(anna, 201);
    const { token } = JSON.parse(anna.text) as { readonly token: string };
    const support = new CheckedOperatorClient(process.operatorUrl, token);
    assertDone(await support.getOrder(orderId), 200);
    const refund = await support.moveOrder(orderId, 'refund', { reason: 'the code was used' });
    assertDone(refund, 200);
    let text = '';
    await eventually('the webhook was attempted', async () => {
      const reply = await get(`/orders/${orderId}/timeline`);
      assertDone(reply, 200);
      text = reply.text;
      return text.includes('WebhookAttempt');
    });
    const { events } = JSON.parse(text) as { readonly events: readonly Event[] };
    assert.deepEqual(
      events.filter(({ type }) => !type.startsWith('Webhook')).map(({ type, operator: who }) => [type, who]),
      [
        ['Requested', undefined],
        ['OrderPlaced', undefined],
        ['ItemTextsShown', 'anna'],
        ['OrderRefunded', 'anna'],
      ],
    );
    assert.deepEqual(
      events.map(({ at }) => at),
      events.map(({ at }) => at).toSorted((a, b) => a - b),
    );
    assert.equal(events[0]?.requestId, requestId);
    const refunded = events.find(({ type }) => type === 'OrderRefunded');
    assert.deepEqual(
      [refunded?.reason, refunded?.requestId, refunded?.status],
      ['the code was used', refund.body.requestId, 'refunded'],
    );
    assert.equal(events.find(({ type }) => type === 'WebhookAttempt')?.status, 200);
    assert.doesNotMatch(text, /SECRET/);
    assertRefused(await get('/orders/999/timeline'), 404, 'NOT_FOUND');
  });

  test('an order from the bot says who opened it, and each step', async () => {
    const { operator } = node.server;
    const { accountId } = shop;
    const reason = 'by telephone';
    const opened = await operator.json('POST', '/orders', { accountId, productId, reason });
    assertDone(opened, 201);
    const id = opened.body.orderId ?? 0;
    assertDone(await operator.moveOrder(id, 'pay'), 200);
    const reply = await get(`/orders/${id}/timeline`);
    const { events } = JSON.parse(reply.text) as { readonly events: readonly Event[] };
    const own = events.filter(({ type }) => type.startsWith('Order'));
    assert.deepEqual(
      own.map(({ type, operator: who, reason: why, status }) => [type, who, why, status]),
      [
        ['OrderOpened', 'root', reason, 'processing'],
        ['OrderPaid', 'root', undefined, 'completed'],
      ],
    );
    assert.ok(own.every(({ seq }) => seq !== undefined));
  });
});
