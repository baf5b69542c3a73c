/** Bodies of events: exactly the fields of SPEC.md and COMMERCE.md. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Fact } from '../../../src/engine/fact.ts';
import { OutboxScene } from './outbox-scene.ts';
import { changed, placed, productCreated, START_MS, webhookSet } from './shop-facts.ts';

let scene: OutboxScene;
describe('bodies of events', () => {
  beforeEach(async () => {
    scene = await OutboxScene.open();
  });
  afterEach(() => scene.close());

  it('the body has exactly the fields of SPEC.md and COMMERCE.md', async () => {
    const low = placed(7, { firstItem: 0, productId: 3, balanceAfterMicros: 20_250_000 });
    const refund = { kind: 'refund', part: 'amount', key: 'k', items: [] } as const;
    const refunds = [400_000, 250_000].map((amountMicros) => ({ ...refund, atMs: START_MS, amountMicros }));
    const credit = {
      accountId: 1,
      reference: 'tx ☃',
      amountMicros: 5_500_000,
      balanceAfterMicros: 25_750_000,
    };
    await scene.happen(
      webhookSet(1, { balanceThresholdUsdt: 20.5 }),
      { ...low, thresholdUsdt: 20.5 } as Fact,
      changed('OrderFailed', { status: 'failed' }),
      { ...changed('OrderRefunded', { adjustments: refunds }), amountMicros: 250_000 } as Fact,
      { ...changed('OrderItemsReplaced', { productId: 3 }), items: [0, 300] } as Fact,
      { kind: 'WalletCredited', credit, atMs: START_MS },
      productCreated(4),
    );
    // Written, and read from its row.
    await scene.restart();
    await scene.pass(2_000);
    const bodies = scene.sent.map(({ body, eventId }) => body.replace(eventId, 'ID'));
    assert.deepEqual(bodies, [
      '{"orderId":7,"eventId":"ID","type":"order.completed"}',
      '{"balanceUsdt":20.25,"thresholdUsdt":20.5,"eventId":"ID","type":"balance.low"}',
      '{"orderId":7,"eventId":"ID","type":"order.failed"}',
      '{"orderId":7,"refundedUsdt":0.25,"totalRefundedUsdt":0.65,"eventId":"ID","type":"order.refunded"}',
      '{"orderId":7,"items":[0,300],"eventId":"ID","type":"order.items_replaced"}',
      '{"amountUsdt":5.5,"balanceUsdt":25.75,"reference":"tx ☃","eventId":"ID","type":"balance.credited"}',
      '{"productId":4,"productIds":[4],"eventId":"ID","type":"catalog.updated"}',
      '{"productId":3,"productIds":[3],"eventId":"ID","type":"stock.changed"}',
    ]);
  });
});
