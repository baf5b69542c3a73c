/** Which suppliers are asked and how often, and what becomes of what they have forgotten. */
import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { SupplierPurchase } from '../../src/engine/supplier-purchases.ts';
import { PurchaseEndings, type PurchaseEndingsOptions } from '../../src/suppliers/purchase-endings.ts';
import { PurchaseFollower, type PurchaseFollowerOptions } from '../../src/suppliers/purchase-follower.ts';
import type { ProgressAnswer } from '../../src/suppliers/supplier-port.ts';
import { openSupplierPurchase } from '../support/open-supplier-purchase.ts';

const SILENT = 1;
const HEALTHY = 2;

function pending(supplierPurchaseId: number, supplierId: number): SupplierPurchase {
  return openSupplierPurchase({
    supplierPurchaseId,
    supplierId,
    phase: 'pending',
    orderId: supplierPurchaseId,
  });
}

test('a healthy supplier is asked at every poll, whatever waits for a silent one', async (t) => {
  const supplierPurchases = new Map<number, SupplierPurchase>();
  for (let supplierPurchaseId = 1; supplierPurchaseId <= 500; supplierPurchaseId += 1)
    supplierPurchases.set(supplierPurchaseId, pending(supplierPurchaseId, SILENT));
  for (let supplierPurchaseId = 501; supplierPurchaseId <= 540; supplierPurchaseId += 1)
    supplierPurchases.set(supplierPurchaseId, pending(supplierPurchaseId, HEALTHY));
  const asked = new Map<number, number>();
  let atSilent = 0;
  let mostAtSilent = 0;
  const end = new AbortController();
  const silence = new Promise<ProgressAnswer>((resolve) => {
    end.signal.addEventListener('abort', () => resolve({ kind: 'silent', why: 'the test is over' }));
  });
  const engine = { state: { supplierPurchases } };
  const follower = new PurchaseFollower({
    engine,
    supplier: {
      progress: ({ supplierPurchaseId, supplierId }: SupplierPurchase) => {
        asked.set(supplierPurchaseId, (asked.get(supplierPurchaseId) ?? 0) + 1);
        if (supplierId === HEALTHY) return Promise.resolve({ kind: 'pending' });
        atSilent += 1;
        mostAtSilent = Math.max(mostAtSilent, atSilent);
        return silence;
      },
    },
    endings: new PurchaseEndings({
      engine,
      isServed: () => false,
      clock: Date.now,
    } as unknown as PurchaseEndingsOptions),
    pollMs: 10,
    clock: Date.now,
    onFault: (error: unknown) => assert.fail(String(error)),
  } as unknown as PurchaseFollowerOptions);
  follower.start();
  t.after(() => {
    end.abort();
    return follower.stop();
  });
  const endMs = performance.now() + 60_000;
  while (
    [...supplierPurchases.keys()]
      .slice(500)
      .some((supplierPurchaseId) => (asked.get(supplierPurchaseId) ?? 0) < 3)
  ) {
    assert.ok(performance.now() < endMs, 'the healthy supplier is not asked again and again');
    await delay(5);
  }
  assert.ok(mostAtSilent > 0 && mostAtSilent < 32, `the silent one is asked ${mostAtSilent} times at once`);
});

describe('a promised purchase that its supplier has never heard of', () => {
  const MINUTE_MS = 60_000;
  const POLL_MS = 30_000;

  /** What is submitted, with the minute, while the supplier says what it says at a minute. */
  async function ends(said: (minute: number) => ProgressAnswer['kind'], minutes = 40): Promise<string[]> {
    mock.timers.enable({ apis: ['setInterval'] });
    let nowMs = 0;
    const supplierPurchases = new Map([[7, pending(7, HEALTHY)]]);
    const submitted: string[] = [];
    const engine = {
      state: { supplierPurchases },
      submit: (command: { kind: string; supplierPurchaseId?: number }, replyTo: (result: object) => void) => {
        submitted.push(`${command.kind} of ${command.supplierPurchaseId} at ${nowMs / MINUTE_MS}`);
        supplierPurchases.clear();
        replyTo({});
      },
    };
    const clock = () => nowMs;
    const follower = new PurchaseFollower({
      engine,
      supplier: { progress: async () => ({ kind: said(nowMs / MINUTE_MS) }) },
      endings: new PurchaseEndings({
        engine,
        fulfilment: { forget: async () => true },
        isServed: () => false,
        clock,
      } as unknown as PurchaseEndingsOptions),
      pollMs: POLL_MS,
      clock,
      onFault: (error: unknown) => assert.fail(String(error)),
    } as unknown as PurchaseFollowerOptions);
    follower.start();
    for (; nowMs < minutes * MINUTE_MS; nowMs += POLL_MS) {
      mock.timers.tick(POLL_MS);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
    await follower.stop();
    mock.timers.reset();
    return submitted;
  }

  test('fails, and its supplier purchase with it, when it is asked ten minutes after it said so first', async () => {
    const [end, ...others] = await ends((minute) => (minute < 15 ? 'pending' : 'unknown'));
    const [, minute] = /^FailOrder of 7 at ([\d.]+)$/.exec(end ?? '') ?? [];
    assert.ok(Number(minute) >= 25 && Number(minute) <= 30, end);
    assert.deepEqual(others, []);
  });

  test('waits on when the supplier remembers it meanwhile', async () => {
    assert.deepEqual(await ends((minute) => (minute % 8 < 5 ? 'unknown' : 'pending')), []);
  });

  test('waits on while the supplier says nothing, and fails by what it says afterwards', async () => {
    assert.deepEqual(await ends((minute) => (minute < 2 ? 'unknown' : 'silent')), []);
    const [end] = await ends((minute) => (minute > 2 && minute < 20 ? 'silent' : 'unknown'));
    assert.match(end ?? '', /^FailOrder of 7 at 2\d/);
  });
});
