/**
 * The fact that a restore writes, made before any engine runs on the folder, from the restored state and the time; how
 * far numbers skip is said here alone (docs/decisions/0032).
 */

import type { FactOf } from '../fact.ts';
import { MAX_EPOCH } from '../limits.ts';
import type { State } from '../state.ts';
import type { TakenAway } from '../taken-away.ts';
import type { NextIds } from './epochs.ts';

/** More than a node can sell, at the least and in a second. */
const SKIP_ORDERS = 1_000_000;
const SKIP_ORDERS_A_SECOND = 100_000;
const SKIP_SUPPLIER_PURCHASES = 1_000_000;
const SKIP_OTHERS = 1_000;

/**
 * The fact with which `state`, all of what was restored, becomes the beginning of `epoch`. `hash` is that of the frame
 * which ends at its position. Throws `RangeError` when the epoch isn't above all that the state knows, or is above `MAX_EPOCH`.
 */
export function epochBegun(
  state: State,
  {
    epoch,
    hash,
    isComplete,
    nowMs,
    takenAway,
  }: {
    readonly epoch: number;
    readonly hash: string;
    /** Whether the source ended cleanly, and all of it was restored. */
    readonly isComplete: boolean;
    readonly nowMs: number;
    /** The effect of facts of the source that are not restored; undefined when it has none. */
    readonly takenAway?: TakenAway | undefined;
  },
): FactOf<'EpochBegun'> {
  const { lastAtMs, lastOrderId, position } = state;
  if (!Number.isSafeInteger(epoch) || epoch <= state.epochs.current || epoch > MAX_EPOCH) {
    throw new RangeError(`epoch ${epoch} is not above ${state.epochs.current}, or is above ${MAX_EPOCH}`);
  }
  const atMs = Math.max(nowMs, lastAtMs);
  const seconds = position === 0 ? 0 : Math.ceil((atMs - lastAtMs) / 1_000);
  const orders = isComplete ? 0 : SKIP_ORDERS + SKIP_ORDERS_A_SECOND * seconds;
  const supplierPurchases = isComplete ? 0 : SKIP_SUPPLIER_PURCHASES;
  const others = isComplete ? 0 : SKIP_OTHERS;
  const next: NextIds = {
    orderId: lastOrderId + orders + 1,
    supplierPurchaseId: state.lastSupplierPurchaseId + supplierPurchases + 1,
    lotId: state.lastLotId + others + 1,
    accountId: state.accounts.nextId + others,
    productId: state.products.nextId + others,
    supplierId: state.suppliers.nextId + others,
    operatorId: state.operators.nextId + others,
    priceListId: state.priceLists.nextId + others,
    depositId: state.lastDepositId + others + 1,
  };
  const fromMs = position === 0 ? atMs : lastAtMs;
  const gap = isComplete ? null : { fromMs, lastOrderId, nextOrderId: next.orderId };
  const taken = takenAway === undefined ? {} : { takenAway };
  return { kind: 'EpochBegun', epoch, fork: { position, hash }, gap, next, ...taken, atMs };
}
