/**
 * Ends the holds of purchases that were under way when the node stopped (SPEC.md §4, `IDEMPOTENCY_UNRESOLVED`).
 * What the supplier made of them is asked afterwards, like everything that is unresolved.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import { Rejection } from '../engine/rejection.ts';
import type { SupplierPurchase } from '../engine/supplier-purchases.ts';

/** Fewer than any mailbox takes. */
const AT_ONCE = 256;
const RETRY_DELAY_MS = 1_000;

/**
 * Before the first request, so that every hold there is was interrupted. Resolves when they have ended, or when
 * there is no room on the disk for that: then it is tried again behind the traffic, until `signal` aborts.
 */
export async function releaseInterrupted(engine: Engine, signal: AbortSignal): Promise<void> {
  const held = [...engine.state.supplierPurchases.values()].filter(({ phase }) => phase === 'held');
  const left = await releaseAll(engine, held);
  if (left.length > 0) void releaseLater(engine, left, signal);
}

async function releaseLater(
  engine: Engine,
  held: readonly SupplierPurchase[],
  signal: AbortSignal,
): Promise<void> {
  for (let left = held; left.length > 0 && !signal.aborted; left = await releaseAll(engine, left)) {
    await delay(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Those that could not be released now. */
async function releaseAll(engine: Engine, held: readonly SupplierPurchase[]): Promise<SupplierPurchase[]> {
  const left: SupplierPurchase[] = [];
  for (let start = 0; start < held.length; start += AT_ONCE) {
    const some = held.slice(start, start + AT_ONCE);
    const released = await Promise.all(some.map((supplierPurchase) => release(engine, supplierPurchase)));
    left.push(...some.filter((_, index) => released[index] === false));
  }
  return left;
}

function release(
  engine: Engine,
  { accountId, productId, supplierPurchaseId }: SupplierPurchase,
): Promise<boolean> {
  return new Promise((resolve) => {
    engine.submit(
      {
        kind: 'ReleaseHold',
        accountId,
        productId,
        supplierPurchaseId,
        code: 'IDEMPOTENCY_UNRESOLVED',
        isUnresolved: true,
      },
      (result) => resolve(!(result instanceof Rejection)),
    );
  });
}
