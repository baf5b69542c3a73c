/** Bodies of events: exactly the fields of SPEC.md. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, it } from 'node:test';
import { OutboxScene } from './outbox-scene.ts';
import { changed, placed, productCreated, webhookSet } from './shop-facts.ts';

let scene: OutboxScene;
beforeEach(async () => {
  scene = await OutboxScene.open();
});
afterEach(() => scene.close());

it('the body has exactly the fields of SPEC.md', async () => {
  await scene.happen(
    webhookSet(1, { balanceThresholdUsdt: 20.5 }),
    placed(7, { firstItem: 0, productId: 3, balanceAfterMicros: 20_250_000 }),
    changed('OrderFailed', { status: 'failed' }),
    productCreated(4),
  );
  await scene.pass(2_000);
  const bodies = scene.sent.map(({ body, eventId }) => body.replace(eventId, 'ID'));
  assert.deepEqual(bodies, [
    '{"orderId":7,"eventId":"ID","type":"order.completed"}',
    '{"balanceUsdt":20.25,"thresholdUsdt":20.5,"eventId":"ID","type":"balance.low"}',
    '{"orderId":7,"eventId":"ID","type":"order.failed"}',
    '{"productId":4,"productIds":[4],"eventId":"ID","type":"catalog.updated"}',
    '{"productId":3,"productIds":[3],"eventId":"ID","type":"stock.changed"}',
  ]);
});
