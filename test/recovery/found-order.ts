/** Orders of the gap as operators find them once they are recovered. */
import assert from 'node:assert/strict';
import { ok } from '../support/operator-client.ts';
import type { Buyer, GapScene } from './gap-scene.ts';

/** The order that was paid from a lost credit is listed, and its timeline tells of its recovery. */
export async function assertFound(scene: GapScene, { accountId }: Buyer): Promise<void> {
  const { operator } = scene.restored;
  const { orderId, key } = scene.of('from a lost credit');
  for (const query of [`accountId=${accountId}`, `accountId=${accountId}&idempotencyKey=${key}`]) {
    const { orders = [] } = await ok(operator.json('GET', `/orders?${encodeURI(query)}`));
    assert.deepEqual(
      orders.map((order) => order.orderId),
      [orderId],
      query,
    );
  }
  // It has the checkpoint reach what is decided.
  const { text } = await operator.json('GET', `/orders/${orderId}/timeline`);
  assert.match(text, /"OrderRecovered"/);
}
