/**
 * The figures that two states of the same facts have in common: money, stock and numbers, in one row of numbers. So a state
 * that was made elsewhere of the same facts, such as a restored one, can be compared with this one by a hash.
 *
 * They are copied in the tick in which they are asked for, and hashed elsewhere: a million accounts take some
 * milliseconds.
 */
import { ledgerSumMicros } from './ledger.ts';
import type { State } from './state.ts';

const PER_ACCOUNT = 3;
const PER_SHELF = 4;

/** Whole numbers, in an order that follows from the facts alone. */
export function figuresOf(state: State): Float64Array {
  const { ledger, accounts } = state;
  const shelves = Array.from(state.stock.entries());
  const general = [
    state.position,
    state.lastAtMs,
    state.lastOrderId,
    state.orderCount,
    state.lastSupplierPurchaseId,
    state.lastLotId,
    ledger.walletsMicros,
    ledger.heldMicros,
    ledger.revenueMicros,
    ledger.depositsMicros,
    ledgerSumMicros(ledger),
    accounts.size,
    state.products.size,
    state.suppliers.size,
    state.operators.size,
    shelves.length,
  ];
  const figures = new Float64Array(general.length + PER_ACCOUNT * accounts.size + PER_SHELF * shelves.length);
  figures.set(general);
  let at = general.length;
  for (const { accountId, walletMicros, heldMicros } of accounts.values()) {
    figures[at] = accountId;
    figures[at + 1] = walletMicros;
    figures[at + 2] = heldMicros;
    at += PER_ACCOUNT;
  }
  for (const [productId, { next, end, gone }] of shelves) {
    figures.set([productId, next, end, gone], at);
    at += PER_SHELF;
  }
  return figures;
}
