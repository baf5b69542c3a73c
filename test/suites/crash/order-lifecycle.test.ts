/**
 * What was answered about orders after their purchase is still so after kill -9, folded or not; and what verify does
 * agrees.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import { startPurser } from '../../support/purser-process.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { assertSound } from './sound-folder.ts';
import { tunedNode } from './tuned-node.ts';

const foldIntervalMs = 200;
const rounds = 3;
/** In this one the checkpoint is up to date when the node is killed, in the others it is behind. */
const foldedRound = 1;

test('every answered step survives kill -9', { timeout: 300_000 }, async () => {
  const folder = await createTemporaryFolder('order-lifecycle');
  const dataDir = folder.path;
  const expected = new Map<number, { status: string; items?: readonly string[] }>();
  let accountId = 0;
  let productId = 0;
  for (let round = 0; round < rounds; round += 1) {
    const isFolded = round === foldedRound;
    const server = await startPurser({ dataDir, ...(isFolded ? tunedNode({ foldIntervalMs }) : {}) });
    const operator = new OperatorClient(server.operatorUrl, server.operatorToken);
    if (round === 0) {
      accountId = (await ok(operator.createAccount({ name: 'a', rateLimitPerMinute: null }))).accountId ?? 0;
      productId =
        (await ok(operator.createProduct({ name: 'm', type: 'manual', priceUsdt: 1 }))).productId ?? 0;
      await ok(operator.credit(accountId, 1_000, 'start'));
    }
    for (const [orderId, { status, items }] of expected) {
      const found = await ok(operator.getOrder(orderId));
      assert.deepEqual([found.status, found.delivery?.items], [status, items], `order ${orderId}`);
    }
    // First those of the rounds before, then those that are new, too.
    await moveAll(operator);
    for (let count = 0; count < 5; count += 1) {
      const { orderId = 0 } = await ok(operator.openOrder({ accountId, productId }));
      expected.set(orderId, { status: 'processing' });
    }
    if (isFolded) await untilFolded(operator);
    await moveAll(operator);
    if (isFolded) await untilFolded(operator);
    await server.kill();
    await assertSound(dataDir);
  }
  await folder.remove();

  /** Each order a step further. */
  async function moveAll(operator: OperatorClient): Promise<void> {
    for (const [orderId, order] of expected) {
      if (order.status === 'processing') {
        await ok(operator.moveOrder(orderId, 'pay'));
        expected.set(orderId, { status: 'pending_delivery' });
      } else if (order.status === 'pending_delivery') {
        const items = [`of order ${orderId}`];
        await ok(operator.moveOrder(orderId, 'complete', { items }));
        expected.set(orderId, { status: 'completed', items });
      } else if (order.status === 'completed') {
        await ok(operator.moveOrder(orderId, 'refund'));
        expected.set(orderId, { status: 'refunded' });
      }
    }
  }
});

async function untilFolded(operator: OperatorClient): Promise<void> {
  for (;;) {
    const status: object = await ok(operator.json('GET', '/status'));
    const { journalPosition, checkpointPosition } = status as Record<string, unknown>;
    if (journalPosition === checkpointPosition) return;
    await delay(50);
  }
}
