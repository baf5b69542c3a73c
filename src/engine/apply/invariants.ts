/**
 * Invariants of every state, checked by tests, by recovery and by `purser verify`.
 *
 * Linear in accounts and products: not for the purchase path.
 */

import { countOf, type ItemRange } from '../item-ranges.ts';
import { ledgerSumMicros } from '../ledger.ts';
import type { State } from '../state.ts';
import type { Stock } from '../stock.ts';

/** Every invariant that the state breaks, one sentence each; empty when it is sound. */
export function brokenInvariants(state: State): string[] {
  const broken: string[] = [];
  const holds = new Map<number, number>();
  for (const {
    supplierPurchaseId,
    phase,
    accountId,
    totalMicros,
    orderId,
  } of state.supplierPurchases.values()) {
    if (phase === 'held') holds.set(accountId, (holds.get(accountId) ?? 0) + totalMicros);
    if ((phase === 'pending' && orderId === 0) || orderId > state.lastOrderId) {
      broken.push(
        `supplier purchase ${supplierPurchaseId} is ${phase} for order ${orderId}, which does not exist`,
      );
    }
  }
  let walletsMicros = 0;
  let heldMicros = 0;
  for (const account of state.accounts.values()) {
    const subject = `account ${account.accountId} has`;
    if (!Number.isSafeInteger(account.walletMicros) || account.walletMicros < 0) {
      broken.push(`${subject} a balance of ${account.walletMicros} micro-USDT`);
    }
    const expected = holds.get(account.accountId) ?? 0;
    if (account.heldMicros !== expected || !Number.isSafeInteger(expected) || expected < 0) {
      broken.push(
        `${subject} ${account.heldMicros} micro-USDT on hold, and its supplier purchases need ${expected}`,
      );
    }
    walletsMicros += account.walletMicros;
    heldMicros += account.heldMicros;
  }
  const { ledger } = state;
  if (walletsMicros !== ledger.walletsMicros) {
    broken.push(`the wallets hold ${walletsMicros} micro-USDT, the ledger says ${ledger.walletsMicros}`);
  }
  if (heldMicros !== ledger.heldMicros) {
    broken.push(`the holds are ${heldMicros} micro-USDT, the ledger says ${ledger.heldMicros}`);
  }
  if (ledger.revenueMicros < 0) {
    broken.push(`more was returned than ever sold: the revenue is ${ledger.revenueMicros} micro-USDT`);
  }
  const sumMicros = ledgerSumMicros(ledger);
  if (sumMicros !== 0) broken.push(`the ledger sums to ${sumMicros} micro-USDT, not to zero`);
  for (const { orderId, accountId, amountMicros } of state.waitingDebits.values()) {
    const isSound = Number.isSafeInteger(amountMicros) && amountMicros > 0 && orderId <= state.lastOrderId;
    if (!isSound || state.accounts.get(accountId) === undefined) {
      broken.push(`a debit of ${amountMicros} micro-USDT waits for order ${orderId} of account ${accountId}`);
    }
  }
  for (const { productId, profile, sourceStocks } of state.products.values()) {
    const isSound = sourceStocks.every(
      (stock) => stock === 'unlimited' || (Number.isSafeInteger(stock) && stock >= 0),
    );
    const { sources = [] } = profile;
    if (!isSound || sourceStocks.length !== sources.length) {
      broken.push(`product ${productId} has [${sourceStocks}] items at its ${sources.length} sources`);
    }
  }
  for (const [productId, { next, end, gone }] of state.stock.entries()) {
    if (!Number.isSafeInteger(next) || !Number.isSafeInteger(end) || next < 0 || next > end) {
      broken.push(`product ${productId} has a stock range from ${next} to ${end}`);
    }
    const { stock } = state;
    const lists = [stock.withdrawn(productId), stock.recalled(productId)];
    const isNextSold = next < end && stock.withdrawnIn(productId, next, 1) > 0;
    if (!lists.every((ranges) => areApart(ranges, end)) || isNextSold) {
      broken.push(
        `product ${productId} has withdrawn ranges that do not fit its stock from ${next} to ${end}`,
      );
    }
    if (gone !== stock.withdrawnIn(productId, next, end - next)) {
      broken.push(`product ${productId} counts ${gone} withdrawn items from ${next} on`);
    }
    if (
      stock.recalled(productId).some((lot) => stock.unsoldIn(productId, lot.firstItem, lot.count).length > 0)
    ) {
      broken.push(`product ${productId} has recalled items for sale`);
    }
    if (!areLostSound(stock, productId)) {
      broken.push(`product ${productId} has items of a gap that are for sale, or that are so twice`);
    }
    if (state.products.get(productId) === undefined) {
      broken.push(`product ${productId} has stock and does not exist`);
    }
  }
  return broken;
}

/** Withdrawn, each for one reason. */
function areLostSound(stock: Stock, productId: number): boolean {
  const lost = stock.lost(productId);
  if (lost === undefined) return true;
  const all = [lost.quarantined, lost.recovered, lost.released].flatMap(({ list }) => list);
  return (
    countOf(lost.all) === countOf(all) &&
    all.every(({ firstItem, count }) => stock.withdrawnIn(productId, firstItem, count) === count)
  );
}

/** Ascending, not touching each other, below `end`. */
function areApart(ranges: readonly ItemRange[], end: number): boolean {
  let before = -1;
  for (const { firstItem, count } of ranges) {
    if (firstItem <= before || count <= 0) return false;
    before = firstItem + count;
  }
  return before <= end;
}
