/** How an order came about, told from its facts and webhooks; and finding it by what a buyer says of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertDone, assertRefused } from '../../contract/operator-reply.ts';
import { eventually } from '../../support/eventually.ts';
import { ok } from '../../support/operator-client.ts';
import type { OperatorCases, OperatorScene } from './operator-scene.ts';

interface Event {
  readonly at: number;
  readonly type: string;
  readonly operator?: string;
  readonly reason?: string;
  readonly status?: string | number;
  readonly requestId?: string;
}

export const timelines: OperatorCases = {
  title: 'what is told of orders',
  define(scene: OperatorScene) {
    const told = (orderId: number) =>
      scene.rows(`/orders/${orderId}/timeline`, 'events') as unknown as Promise<readonly Event[]>;

    test('a buyer’s word leads to it; its timeline has request, purchase, webhook, who looked and who refunded', async () => {
      const { apiKey, node } = scene;
      // Nobody listens there.
      const webhook = { url: 'https://127.0.0.1:8443/', events: ['order.completed'] };
      const registered = await node.buyers.setWebhook(apiKey, webhook);
      assert.equal(registered.status, 200, registered.text);
      const productId = await scene.product();
      await scene.upload(productId, ['SECRET-1', 'SECRET-2']);
      const wanted = { productId, expectedPriceUsdt: 1, recipient: { username: '@Anna_1' } };
      const { body } = await node.buyers.purchase(apiKey, 'basket 17', wanted);
      const { orderId = 0, requestId } = body;
      const [found] = await scene.rows(`/orders?requestId=${requestId}`, 'orders');
      assert.equal(found?.orderId, orderId);
      assertRefused(await node.operator.json('GET', '/orders?acountId=2'), 400, 'BAD_REQUEST');

      const { client } = await scene.operator('tina', 'support');
      assertDone(await client.getOrder(orderId), 200);
      const refund = await ok(client.moveOrder(orderId, 'refund', { reason: 'the code was used' }));
      await eventually('the webhook was attempted', async () =>
        (await told(orderId)).some(({ type }) => type === 'WebhookAttempt'),
      );
      const events = await told(orderId);
      assert.deepEqual(
        events
          .filter(({ type }) => !type.startsWith('Webhook'))
          .map(({ type, operator }) => [type, operator]),
        [
          ['Requested', undefined],
          ['OrderPlaced', undefined],
          ['ItemTextsShown', 'tina'],
          ['OrderRefunded', 'tina'],
        ],
      );
      const times = events.map(({ at }) => at);
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
      assert.equal(events[0]?.requestId, requestId);
      const refunded = events.find(({ type }) => type === 'OrderRefunded');
      assert.deepEqual(
        [refunded?.reason, refunded?.requestId, refunded?.status],
        ['the code was used', refund.requestId, 'refunded'],
      );
      assert.doesNotMatch(JSON.stringify(events), /SECRET/);
      assertRefused(await node.operator.json('GET', '/orders/999999/timeline'), 404, 'NOT_FOUND');
    });
  },
};
