/** One supplier that is silent keeps nobody else's purchases waiting. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Supply } from '../../src/engine/supplies.ts';
import type { ProgressAnswer } from '../../src/suppliers/supplier-port.ts';
import { SupplyFollower, type SupplyFollowerOptions } from '../../src/suppliers/supply-follower.ts';

const SILENT = 1;
const HEALTHY = 2;

function pending(supplyId: number, supplierId: number): Supply {
  return {
    supplyId,
    reference: `pur_${supplyId}_1`,
    supplierId,
    sku: 'x',
    accountId: 1,
    idempotencyKey: `k${supplyId}`,
    productId: 1,
    quantity: 1,
    expectedPriceUsdt: 1,
    recipientUsername: null,
    totalMicros: 1,
    phase: 'pending',
    orderId: supplyId,
    cause: null,
    createdAtMs: 0,
  };
}

test('a healthy supplier is asked at every poll, whatever waits for a silent one', async (t) => {
  const supplies = new Map<number, Supply>();
  for (let supplyId = 1; supplyId <= 500; supplyId += 1) supplies.set(supplyId, pending(supplyId, SILENT));
  for (let supplyId = 501; supplyId <= 540; supplyId += 1) supplies.set(supplyId, pending(supplyId, HEALTHY));
  const asked = new Map<number, number>();
  let atSilent = 0;
  let mostAtSilent = 0;
  const end = new AbortController();
  const silence = new Promise<ProgressAnswer>((resolve) => {
    end.signal.addEventListener('abort', () => resolve({ kind: 'silent', why: 'the test is over' }));
  });
  const follower = new SupplyFollower({
    engine: { state: { supplies } },
    supplier: {
      progress: ({ supplyId, supplierId }: Supply) => {
        asked.set(supplyId, (asked.get(supplyId) ?? 0) + 1);
        if (supplierId === HEALTHY) return Promise.resolve({ kind: 'pending' });
        atSilent += 1;
        mostAtSilent = Math.max(mostAtSilent, atSilent);
        return silence;
      },
    },
    pollMs: 10,
    isServed: () => false,
    clock: Date.now,
    onFault: (error: unknown) => assert.fail(String(error)),
  } as unknown as SupplyFollowerOptions);
  follower.start();
  t.after(() => {
    end.abort();
    return follower.stop();
  });
  const endMs = performance.now() + 10_000;
  while ([...supplies.keys()].slice(500).some((supplyId) => (asked.get(supplyId) ?? 0) < 3)) {
    assert.ok(performance.now() < endMs, 'the healthy supplier is not asked again and again');
    await delay(5);
  }
  assert.ok(mostAtSilent > 0 && mostAtSilent < 32, `the silent one is asked ${mostAtSilent} times at once`);
});
