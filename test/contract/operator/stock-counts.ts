/** Counts of stock: what an upload added, and what is there to be taken out. */
import assert from 'node:assert/strict';
import type { OperatorReply } from '../../support/operator-client.ts';
import { assertDone } from '../operator-reply.ts';
import { known, type Scene } from '../scene.ts';

export function assertCounts(
  reply: OperatorReply,
  added: number,
  duplicates: number,
  availableStock: number,
): void {
  assertDone(reply, 201);
  const { body } = reply;
  assert.deepEqual(
    { added: body.added, duplicates: body.duplicates, availableStock: body.availableStock },
    { added, duplicates, availableStock },
  );
}

export async function withdraw(scene: Scene, productId: number, count: number): Promise<readonly string[]> {
  const reply = await scene.operator.withdrawStock(productId, count);
  assertDone(reply, 200);
  const items = known(reply.body.items);
  assert.equal(reply.body.withdrawn, items.length);
  return items;
}
