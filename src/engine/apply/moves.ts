/**
 * How orders, money and items move: the only code that changes orders, wallets, holds, the ledger and the shelves.
 * Every move of money has both of its sides, so the ledger sums to zero after each.
 *
 * Assertions of a purchase are made in place, not by `assertThat`, whose message is made even while nothing is wrong.
 */
import type { Account } from '../accounts.ts';
import type { FactKind, FactOf } from '../fact.ts';
import type { ItemRange } from '../item-ranges.ts';
import type { Lot } from '../lots.ts';
import { isAllowed, type OrderFactKind } from '../order-lifecycle.ts';
import { NO_ITEM, type Order } from '../orders.ts';
import type { State } from '../state.ts';
import { assertThat, BrokenInvariantError } from './broken-invariant.ts';

/** The table of `apply`: a function for each kind of fact. */
export type Effects = { readonly [Kind in FactKind]: (state: State, fact: FactOf<Kind>) => void };

/** The order's items leave the shelf, and its total goes from the wallet to the revenue. */
export function charge(state: State, order: Order): void {
  const account = state.accounts.change(order.accountId);
  if (order.firstItem !== NO_ITEM) takeItems(state, order.productId, order.firstItem, order.quantity);
  moveToWallet(state, account, -order.totalMicros);
  assertBalance(account, order.balanceAfterMicros);
  state.ledger.revenueMicros += order.totalMicros;
}

/** So much of what the order was charged goes from the revenue to the wallet, which holds `balanceMicros` then. */
export function giveBack(
  state: State,
  { accountId }: Order,
  amountMicros: number,
  balanceMicros: number,
): void {
  const account = state.accounts.change(accountId);
  moveToWallet(state, account, amountMicros);
  assertBalance(account, balanceMicros);
  state.ledger.revenueMicros -= amountMicros;
}

/** From outside into the wallet, which holds `balanceMicros` then; or out of it when the amount is negative. */
export function deposit(state: State, accountId: number, amountMicros: number, balanceMicros: number): void {
  const account = state.accounts.change(accountId);
  moveToWallet(state, account, amountMicros);
  assertBalance(account, balanceMicros);
  state.ledger.depositsMicros -= amountMicros;
}

/** From the wallet on hold, or back when it is negative. */
export function moveToHold(state: State, accountId: number, amountMicros: number): void {
  const account = state.accounts.change(accountId);
  moveToWallet(state, account, -amountMicros);
  account.heldMicros += amountMicros;
  state.ledger.heldMicros += amountMicros;
  assertThat(account.heldMicros >= 0, `account ${accountId} holds less than nothing`);
}

export function addOrder(state: State, order: Order): void {
  if (order.orderId !== state.lastOrderId + 1)
    throw new BrokenInvariantError(`order ${order.orderId} is not the next one`);
  state.lastOrderId = order.orderId;
  state.orders.add(order);
}

/** An order of a gap, under its number; or the payment of one that was there, unpaid. */
export function addRecovered(state: State, kind: 'OrderRecovered', order: Order): void {
  const { orderId, status } = order;
  if (state.epochs.isLost(orderId)) {
    assertThat(state.orders.get(orderId) === undefined, `order ${orderId} was recovered before`);
    assertThat(isAllowed(null, kind, status), `order ${orderId} was recovered as ${status}`);
    state.unusedOrderIds -= 1;
    state.orders.change(order);
  } else changeOrder(state, kind, order);
}

/** From the wallet, which holds `balanceMicros` then, to the revenue. */
export function debit(state: State, accountId: number, amountMicros: number, balanceMicros: number): void {
  const account = state.accounts.change(accountId);
  moveToWallet(state, account, -amountMicros);
  assertBalance(account, balanceMicros);
  state.ledger.revenueMicros += amountMicros;
}

/** Replaces an order. Its step is checked only while the order before is in memory. */
export function changeOrder(state: State, kind: OrderFactKind, order: Order): void {
  const { orderId, status } = order;
  assertThat(orderId <= state.lastOrderId, `order ${orderId} does not exist`);
  const before = state.orders.get(orderId);
  const isStep = before === undefined || isAllowed(before.status, kind, status);
  assertThat(isStep, `order ${orderId} went from ${before?.status} to ${status} by ${kind}`);
  state.orders.change(order);
}

/** New items are on the shelf; those that are `aside` enter the quarantine. */
export function addItems(
  state: State,
  productId: number,
  firstItem: number,
  count: number,
  aside?: readonly ItemRange[],
): void {
  const { end } = state.stock.of(state.products.change(productId).productId);
  assertThat(firstItem === end, `product ${productId} got items that are not the next ones`);
  state.stock.add(productId, count);
  if (aside !== undefined) withdrawItems(state, productId, aside, 'quarantine');
}

/** The items of a lot are on the shelf. */
export function addLot(state: State, lot: Lot): void {
  assertThat(lot.lotId === state.lastLotId + 1, `lot ${lot.lotId} is not the next one`);
  state.lastLotId = lot.lotId;
  state.lots.set(lot);
}

/** The next `count` items are sold: those that `Stock.itemsFrom` says. */
export function takeItems(state: State, productId: number, firstItem: number, count: number): void {
  const { next, end, gone } = state.stock.of(productId);
  if (firstItem !== next)
    throw new BrokenInvariantError(`product ${productId} gave item ${firstItem}, not its next one, ${next}`);
  if (count > end - next - gone)
    throw new BrokenInvariantError(`product ${productId} gave ${count} items of ${end - next - gone}`);
  state.stock.take(productId, count);
}

/** The items, which were for sale until now, can't be sold any more. */
export function withdrawItems(
  state: State,
  productId: number,
  ranges: readonly ItemRange[],
  how: 'withdraw' | 'quarantine' = 'withdraw',
): void {
  const { next, end } = state.stock.of(productId);
  for (const { firstItem, count } of ranges) {
    const isForSale =
      firstItem >= next &&
      firstItem + count <= end &&
      state.stock.withdrawnIn(productId, firstItem, count) === 0;
    assertThat(isForSale, `product ${productId} withdrew ${count} items from ${firstItem}, not all for sale`);
  }
  state.stock[how](productId, ranges);
}

/** The items leave the shelf; they are its next ones (`nextItems`). */
export function takeEach(state: State, productId: number, items: readonly number[]): void {
  for (const item of items) takeItems(state, productId, item, 1);
}

function moveToWallet(state: State, account: Account, amountMicros: number): void {
  account.walletMicros += amountMicros;
  state.ledger.walletsMicros += amountMicros;
  const { accountId, walletMicros } = account;
  if (!Number.isSafeInteger(walletMicros))
    throw new BrokenInvariantError(`the balance of account ${accountId} is not a safe integer`);
  if (walletMicros < 0) throw new BrokenInvariantError(`account ${accountId} is below zero`);
}

function assertBalance(account: Account, balanceMicros: number): void {
  if (account.walletMicros !== balanceMicros)
    throw new BrokenInvariantError(`the balance of account ${account.accountId} differs from the order's`);
}
