/** Whom suppliers are asked for and how often, and what becomes of what they have forgotten. */
import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
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

describe('a promised purchase that its supplier has never heard of', () => {
  const MINUTE_MS = 60_000;
  const POLL_MS = 30_000;

  /** What is submitted, with the minute, while the supplier says what it says at a minute. */
  async function ends(said: (minute: number) => ProgressAnswer['kind'], minutes = 40): Promise<string[]> {
    mock.timers.enable({ apis: ['setInterval'] });
    let nowMs = 0;
    const supplies = new Map([[7, pending(7, HEALTHY)]]);
    const submitted: string[] = [];
    const follower = new SupplyFollower({
      engine: {
        state: { supplies },
        submit: (command: { kind: string; supplyId?: number }, replyTo: (result: object) => void) => {
          submitted.push(`${command.kind} of ${command.supplyId} at ${nowMs / MINUTE_MS}`);
          supplies.clear();
          replyTo({});
        },
      },
      supplier: { progress: async () => ({ kind: said(nowMs / MINUTE_MS) }) },
      deliveries: { forget: async () => true },
      pollMs: POLL_MS,
      isServed: () => false,
      clock: () => nowMs,
      onFault: (error: unknown) => assert.fail(String(error)),
    } as unknown as SupplyFollowerOptions);
    follower.start();
    for (; nowMs < minutes * MINUTE_MS; nowMs += POLL_MS) {
      mock.timers.tick(POLL_MS);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
    await follower.stop();
    mock.timers.reset();
    return submitted;
  }

  test('fails, and its supply with it, when it is asked ten minutes after it said so first', async () => {
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

describe('texts that an attempt to deliver the order has left', () => {
  const unresolved: Supply = { ...pending(7, HEALTHY), phase: 'unresolved', cause: 'ORDER_ENDED' };

  /** What is done, in order, to one supply. */
  function scene(supply: Supply, canForget = true) {
    const supplies = new Map([[supply.supplyId, supply]]);
    const done: string[] = [];
    const follower = new SupplyFollower({
      engine: {
        state: { supplies, products: new Map() },
        submit: (command: { kind: string }, replyTo: (result: object) => void) => {
          done.push(command.kind);
          supplies.clear();
          replyTo({});
        },
      },
      deliveries: {
        forget: async (orderId: number) => {
          done.push(`forget ${orderId}`);
          return canForget;
        },
      },
      clock: () => 1e12,
      isServed: () => false,
      onReconciled: () => undefined,
    } as unknown as SupplyFollowerOptions);
    return { follower, done };
  }

  const ends: [how: string, supply: Supply, said: ProgressAnswer | 'given up', fact: string][] = [
    ['fails, as promised orders may', pending(7, HEALTHY), { kind: 'failed' }, 'FailOrder'],
    ['failed', unresolved, { kind: 'failed' }, 'ReconcileSupply'],
    ['was never heard of', unresolved, { kind: 'unknown' }, 'ReconcileSupply'],
    ['is delivered, blank', unresolved, { kind: 'delivered', items: [' '] }, 'ReconcileSupply'],
    ['is given up', unresolved, 'given up', 'ReconcileSupply'],
  ];
  for (const [how, supply, said, fact] of ends) {
    test(`are forgotten before the supply ends, which ${how}`, async () => {
      for (const canForget of [true, false]) {
        const { follower, done } = scene(supply, canForget);
        const isDone = said === 'given up' ? follower.giveUp(supply) : follower.hear(supply, said);
        assert.equal(await isDone, canForget, 'not while its order is being completed');
        assert.deepEqual(done, canForget ? ['forget 7', fact] : ['forget 7']);
      }
    });
  }

  test('are left alone while the supply stays open', async () => {
    const { follower, done } = scene(unresolved);
    assert.equal(await follower.hear(unresolved, { kind: 'silent', why: 'it is night' }), true);
    assert.equal(await follower.hear(unresolved, { kind: 'pending' }), true);
    assert.deepEqual(done, []);
  });
});
