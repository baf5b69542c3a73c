/** Which suppliers are asked and how often, and what becomes of what they have forgotten. */
import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import type { SupplierPurchase } from '../../src/engine/supplying/supplier-purchases.ts';
import { PurchaseEndings, type PurchaseEndingsOptions } from '../../src/suppliers/purchase-endings.ts';
import { PurchaseFollower, type PurchaseFollowerOptions } from '../../src/suppliers/purchase-follower.ts';
import type { ProgressAnswer } from '../../src/suppliers/supplier-port.ts';
import { eventually } from '../support/eventually.ts';
import { openSupplierPurchase } from '../support/open-supplier-purchase.ts';

const SILENT = 1;
const HEALTHY = 2;

function pending(supplierPurchaseId: number, supplierId: number): [number, SupplierPurchase] {
  const of = { supplierPurchaseId, supplierId, orderId: supplierPurchaseId };
  return [supplierPurchaseId, openSupplierPurchase({ ...of, phase: 'pending' })];
}

interface Followed {
  readonly supplierPurchases: Map<number, SupplierPurchase>;
  readonly pollMs: number;
  readonly progress: (purchase: SupplierPurchase) => Promise<Pick<ProgressAnswer, 'kind'>>;
  readonly clock?: () => number;
  readonly submit?: (command: { readonly kind: string }, replyTo: (result: object) => void) => void;
}

function follow({ supplierPurchases, pollMs, progress, clock = Date.now, submit }: Followed) {
  const engine = { state: { supplierPurchases }, submit };
  const fulfilment = { forget: async () => true };
  const endings = { engine, fulfilment, isServed: () => false, clock };
  const follower = new PurchaseFollower({
    engine,
    supplier: { progress },
    endings: new PurchaseEndings(endings as unknown as PurchaseEndingsOptions),
    pollMs,
    clock,
    onFault: (error: unknown) => assert.fail(String(error)),
  } as unknown as PurchaseFollowerOptions);
  follower.start();
  return follower;
}

test('a healthy supplier is asked at every poll, whatever waits for a silent one', async (t) => {
  const ids = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index);
  const healthy = ids(501, 40);
  const asked = new Map<number, number>();
  let atSilent = 0;
  const end = new AbortController();
  const silence = new Promise<Pick<ProgressAnswer, 'kind'>>((resolve) => {
    end.signal.addEventListener('abort', () => resolve({ kind: 'silent' }));
  });
  const follower = follow({
    supplierPurchases: new Map([
      ...ids(1, 500).map((id) => pending(id, SILENT)),
      ...healthy.map((id) => pending(id, HEALTHY)),
    ]),
    pollMs: 10,
    progress: ({ supplierPurchaseId, supplierId }) => {
      asked.set(supplierPurchaseId, (asked.get(supplierPurchaseId) ?? 0) + 1);
      if (supplierId === HEALTHY) return Promise.resolve({ kind: 'pending' });
      // None of them ends.
      atSilent += 1;
      return silence;
    },
  });
  t.after(() => {
    end.abort();
    return follower.stop();
  });
  await eventually('the healthy one is asked again and again', () =>
    healthy.every((id) => (asked.get(id) ?? 0) >= 3),
  );
  assert.ok(atSilent > 0 && atSilent < 32, `the silent one is asked ${atSilent} times at once`);
});

describe('a promised purchase that its supplier has never heard of', () => {
  const MINUTE_MS = 60_000;
  const POLL_MS = 30_000;

  /** Commands that are submitted, each with its minute, when the supplier answers as `said` says at a minute. */
  async function ends(said: (minute: number) => ProgressAnswer['kind']): Promise<string[]> {
    mock.timers.enable({ apis: ['setInterval'] });
    let nowMs = 0;
    const supplierPurchases = new Map([pending(7, HEALTHY)]);
    const submitted: string[] = [];
    const follower = follow({
      supplierPurchases,
      pollMs: POLL_MS,
      progress: async () => ({ kind: said(nowMs / MINUTE_MS) }),
      clock: () => nowMs,
      submit: ({ kind }, replyTo) => {
        submitted.push(`${kind} at ${nowMs / MINUTE_MS}`);
        supplierPurchases.clear();
        replyTo({});
      },
    });
    for (; nowMs < 40 * MINUTE_MS; nowMs += POLL_MS) {
      mock.timers.tick(POLL_MS);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
    await follower.stop();
    mock.timers.reset();
    return submitted;
  }

  test('fails, and its supplier purchase with it, when it is asked ten minutes after it said so first', async () => {
    const [end, ...others] = await ends((minute) => (minute < 15 ? 'pending' : 'unknown'));
    const [, minute] = /^FailOrder at ([\d.]+)$/.exec(end ?? '') ?? [];
    assert.ok(Number(minute) >= 25 && Number(minute) <= 30, end);
    assert.deepEqual(others, []);
  });

  test('waits on when the supplier remembers it meanwhile, or says nothing, and fails by what it says afterwards', async () => {
    assert.deepEqual(await ends((minute) => (minute % 8 < 5 ? 'unknown' : 'pending')), []);
    assert.deepEqual(await ends((minute) => (minute < 2 ? 'unknown' : 'silent')), []);
    const [end] = await ends((minute) => (minute > 2 && minute < 20 ? 'silent' : 'unknown'));
    assert.match(end ?? '', /^FailOrder at 2\d/);
  });
});
