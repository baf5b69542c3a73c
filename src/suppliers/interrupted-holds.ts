/**
 * Releases the holds of purchases that were in progress when the node stopped (SPEC.md §4, `IDEMPOTENCY_UNRESOLVED`).
 * Their suppliers are asked afterwards how they went, like for every unresolved purchase.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../engine/loop/engine.ts';
import type { SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';

/** Fewer than any mailbox takes. */
const AT_ONCE = 256;
const RETRY_DELAY_MS = 1_000;

/**
 * Call it before the first request: then every hold that exists was interrupted. Resolves when all have been released,
 * or when the disk is too full for that: then it is tried again in the background, until `signal` aborts.
 */
export async function releaseInterrupted(engine: Engine, signal: AbortSignal): Promise<void> {
  const held = [...engine.state.supplierPurchases.values()].filter(({ phase }) => phase === 'held');
  const left = await releaseAll(engine, held);
  if (left.length > 0) void releaseLater(engine, left, signal);
}

async function releaseLater(engine: Engine, held: SupplierPurchase[], signal: AbortSignal): Promise<void> {
  for (let left = held; left.length > 0 && !signal.aborted; left = await releaseAll(engine, left)) {
    await delay(RETRY_DELAY_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** The holds that could not be released now. */
async function releaseAll(engine: Engine, held: readonly SupplierPurchase[]): Promise<SupplierPurchase[]> {
  for (let start = 0; start < held.length; start += AT_ONCE) {
    await Promise.all(held.slice(start, start + AT_ONCE).map((purchase) => release(engine, purchase)));
  }
  const { supplierPurchases } = engine.state;
  return held.filter((purchase) => supplierPurchases.get(purchase.supplierPurchaseId)?.phase === 'held');
}

function release(engine: Engine, purchase: SupplierPurchase): Promise<void> {
  const { accountId, productId, supplierPurchaseId } = purchase;
  const ids = { accountId, productId, supplierPurchaseId };
  const why = { code: 'IDEMPOTENCY_UNRESOLVED', isUnresolved: true } as const;
  return new Promise((resolve) => engine.submit({ kind: 'ReleaseHold', ...ids, ...why }, () => resolve()));
}
