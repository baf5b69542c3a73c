/**
 * Decisions that close the gap of a restore (docs/decisions/0032): orders that are proved, and the gap's end.
 *
 * Invariant: an order is recovered once, whole or not at all, and what stands against it is said; no item goes to a
 * recovered order that somebody else has. Proofs that there was such an order are for the caller: a command is
 * believed.
 */
import { type Adjustment, NO_ADJUSTMENTS, replacedItems, tooManyAdjustments } from '../adjustments.ts';
import type { CommandOf, RecoveryResult } from '../decide/command.ts';
import { allowed } from '../decide/decide-order.ts';
import { outcomeOf } from '../decide/decide-purchase.ts';
import { type Deciders, noSuch } from '../decide/decision.ts';
import { type History, orderOf } from '../decide/history.ts';
import { Rejection } from '../decide/rejection.ts';
import { soldItems } from '../decide/sale.ts';
import { countOf } from '../item-ranges.ts';
import { MAX_RECOVERED_RANGES, MAX_WAITING_DEBITS } from '../limits.ts';
import { isOrder, NO_ITEM, NO_KEY, type Order } from '../orders.ts';
import type { State } from '../state.ts';
import type { OutstandingItems } from './outstanding-items.ts';
import { restoredIds } from './restored-rights.ts';

type RecoverOrder = CommandOf<'RecoverOrder'>;

export const recoveryDeciders = {
  RecoverOrder(state, command, atMs, history) {
    const { orderId, accountId, items, totalMicros } = command;
    const account = state.accounts.get(accountId);
    if (account === undefined || state.products.get(command.productId) === undefined) {
      return refused(orderId, absence(state, command), 'NOT_FOUND');
    }
    const known = orderOf(state, history, orderId);
    if (known !== undefined && !isSameOrder(known, command))
      return refused(orderId, 'another order has its number');
    if (known !== undefined && known.status !== 'processing') return replayed(state, known);
    const refusal =
      (known === undefined ? numberRefusal(state, orderId) : undefined) ??
      keyRefusal(state, history, command) ??
      textsRefusal(command) ??
      itemsRefusal(state, command) ??
      searchRefusal(state, command);
    if (refusal !== undefined) return refused(orderId, refusal);
    const outstanding = outstandingThatFits(state, command);
    const hasMoney = totalMicros <= account.walletMicros;
    if (!hasMoney && state.waitingDebits.size >= MAX_WAITING_DEBITS) {
      return refused(orderId, `${MAX_WAITING_DEBITS} debits wait already: enter the credits that were lost`);
    }
    return {
      kind: 'OrderRecovered',
      order: orderFrom(command, atMs),
      items,
      debitMicros: hasMoney ? totalMicros : 0,
      waitingMicros: hasMoney ? 0 : totalMicros,
      balanceMicros: account.walletMicros - (hasMoney ? totalMicros : 0),
      ...(outstanding === undefined ? {} : { outstanding }),
      atMs,
    };
  },
  AmendOrder(state, command, atMs, history) {
    const { orderId, productId, items, textCount, replaced } = command;
    const order = orderOf(state, history, orderId);
    if (order === undefined) return noSuch('order');
    const refusal =
      (state.supplierPurchases.ofOrder(orderId) === undefined
        ? undefined
        : 'its supplier is asked about it') ??
      changeRefusal(order, command) ??
      itemsRefusal(state, command) ??
      searchRefusal(state, command);
    if (refusal !== undefined) {
      return new Rejection('TRANSITION_NOT_ALLOWED', `Order ${orderId} is left as it is: ${refusal}.`);
    }
    const tooMany =
      replaced.length === 0 ? undefined : tooManyAdjustments(order.adjustments, replaced.length);
    if (tooMany !== undefined) return tooMany;
    const adjustments =
      replaced.length === 0
        ? order.adjustments
        : [...order.adjustments, replacement(state, order, command, atMs)];
    const outstanding = outstandingThatFits(state, command);
    const isDelivered = textCount > 0 && order.status === 'pending_delivery';
    const isSame = outstanding === state.stock.lost(productId)?.outstandingOf(orderId);
    if (isSame && items.length === 0 && !isDelivered) return replayed(state, order);
    const delivered = isDelivered ? ({ status: 'completed', textCount } as const) : {};
    return allowed(order, {
      kind: 'OrderAmended',
      order: { ...order, adjustments, ...delivered },
      items,
      ...(isDelivered ? { delivers: true } : {}),
      ...(outstanding === undefined ? {} : { outstanding }),
      atMs,
    });
  },
  SettleDebit({ accounts, waitingDebits }, { accountId, orderId }, atMs) {
    const account = accounts.get(accountId);
    const waits = waitingDebits.get(orderId);
    if (account === undefined || waits?.accountId !== accountId) return noSuch('debit that waits');
    const { amountMicros, productId } = waits;
    const balanceMicros = account.walletMicros - amountMicros;
    if (balanceMicros < 0) {
      const message = `The wallet of account ${accountId} has less than order ${orderId} cost. Enter the credit that was lost.`;
      return new Rejection('INSUFFICIENT_BALANCE', message);
    }
    return { kind: 'DebitSettled', orderId, accountId, productId, amountMicros, balanceMicros, atMs };
  },
  OpenSales(state, { ended = [] }, atMs) {
    if (state.gap === null) return { gap: null };
    const left = ended.filter((kind) => restoredIds(state, kind).length > 0);
    if (left.length === 0) return { kind: 'SalesOpened', atMs };
    const message = `Sales stay closed: of the ${left.join(', ')} that were to end, some were put back meanwhile. Try again.`;
    return new Rejection('TRANSITION_NOT_ALLOWED', message);
  },
} satisfies Partial<Deciders>;

function refused(
  orderId: number,
  why: string,
  code: 'NOT_FOUND' | 'TRANSITION_NOT_ALLOWED' = 'TRANSITION_NOT_ALLOWED',
): Rejection {
  return new Rejection(code, `Order ${orderId} was not recovered: ${why}.`);
}

function replayed({ waitingDebits }: State, order: Order): RecoveryResult {
  const waitingMicros = waitingDebits.get(order.orderId)?.amountMicros ?? 0;
  return { order, waitingMicros, replayed: true };
}

function isSameOrder(known: Order, asked: RecoverOrder): boolean {
  return (
    known.accountId === asked.accountId &&
    known.productId === asked.productId &&
    known.quantity === asked.quantity &&
    known.idempotencyKey === asked.idempotencyKey &&
    known.recipientUsername === asked.recipientUsername &&
    // One that is unpaid may have been paid at another price.
    (known.status === 'processing' || known.totalMicros === asked.totalMicros)
  );
}

function numberRefusal({ epochs }: State, orderId: number): string | undefined {
  return epochs.isLost(orderId) ? undefined : 'its number is not of a gap';
}

function keyRefusal(
  state: State,
  history: History,
  { accountId, idempotencyKey }: RecoverOrder,
): string | undefined {
  if (idempotencyKey === NO_KEY) return undefined;
  if (state.supplierPurchases.heldBy(accountId, idempotencyKey) !== undefined) {
    return 'a supplier is being asked for a purchase with its key: try again when that has ended';
  }
  const outcome = outcomeOf(state, history, accountId, idempotencyKey);
  if (outcome === undefined) return undefined;
  return isOrder(outcome)
    ? `order ${outcome.orderId} has its key`
    : `its key was refused with ${outcome.code}`;
}

/** The account or product that must be created before the order can come back, with the command for it. */
function absence({ accounts, products }: State, { accountId, productId }: RecoverOrder): string {
  const rows = [
    { noun: 'account', id: accountId, table: accounts, settings: '--name NAME' },
    { noun: 'product', id: productId, table: products, settings: '--name NAME --price USDT' },
  ] as const;
  return rows
    .filter(({ table, id }) => table.get(id) === undefined)
    .map(({ noun, id, table, settings }) =>
      table.isLeapt(id)
        ? `${noun} ${id} is not there: create it again with "purser ${noun} create --id ${id} ${settings}", and take the receipts in again`
        : `there never was ${noun} ${id}`,
    )
    .join('; ');
}

function textsRefusal({ items, quantity, textCount }: RecoverOrder): string | undefined {
  if (items.length === 0 || textCount === 0) return undefined;
  return textCount !== quantity || countOf(items) < quantity
    ? 'it has not as many items as it bought'
    : undefined;
}

/**
 * The missing items that are kept for the order: `outstanding` where the product has room, else those that were kept before.
 */
function outstandingThatFits(
  { stock }: State,
  { orderId, productId, outstanding }: Pick<RecoverOrder, 'orderId' | 'productId' | 'outstanding'>,
): OutstandingItems | undefined {
  const lost = stock.lost(productId);
  return outstanding === undefined || lost === undefined || lost.hasRoomFor(outstanding)
    ? outstanding
    : lost.outstandingOf(orderId);
}

/** Items that came after the search were not compared with what is missing: nobody knew of that yet. */
function searchRefusal(
  { stock }: State,
  { productId, searchedEnd }: Pick<RecoverOrder, 'productId' | 'searchedEnd'>,
): string | undefined {
  return searchedEnd === undefined || searchedEnd === stock.of(productId).end
    ? undefined
    : `items of product ${productId} came meanwhile: try again`;
}

/** Whether a receipt is later than what the order shows was asked of the order that it was then. */
function changeRefusal(
  { adjustments, textCount }: Order,
  { compared }: CommandOf<'AmendOrder'>,
): string | undefined {
  return compared === undefined ||
    (compared.adjustments === adjustments.length && compared.textCount === textCount)
    ? undefined
    : 'it was changed meanwhile: try again';
}

/** Items stand in the places of others, as a receipt says. */
function replacement(
  state: State,
  order: Order,
  { replaced }: CommandOf<'AmendOrder'>,
  atMs: number,
): Adjustment {
  const items = replaced.map(({ place }) => place);
  const before = replacedItems(order.adjustments);
  const sold = soldItems(state, order);
  const oldItems = items.map((place) => before.get(place) ?? sold[place] ?? null);
  const newItems = replaced.map(({ item }) => item);
  return { kind: 'replacement', key: NO_KEY, atMs, amountMicros: 0, items, oldItems, newItems };
}

function itemsRefusal(
  { stock }: State,
  { productId, items }: Pick<RecoverOrder, 'productId' | 'items'>,
): string | undefined {
  if (items.length === 0) return undefined;
  const { end } = stock.of(productId);
  const beyond = items.find(({ firstItem, count }) => firstItem + count > end);
  if (beyond !== undefined) {
    return `product ${productId} has ${end} items, and it took item ${beyond.firstItem + beyond.count - 1}: upload again what was lost`;
  }
  const gone = items.find((range) => !stock.isRecoverable(productId, range));
  if (gone !== undefined) {
    const last = gone.firstItem + gone.count - 1;
    return `of the items ${gone.firstItem} to ${last} of product ${productId}, some are of other orders or were released`;
  }
  return stock.withdrawn(productId).length + items.length > MAX_RECOVERED_RANGES
    ? `product ${productId} has too many separate ranges of lost items: quarantine its items first`
    : undefined;
}

/** Nobody knows when in the gap an order from the bot was paid: it counts from now on (`spending-change.ts`). */
function orderFrom(
  { items: _items, kind: _kind, outstanding: _outstanding, searchedEnd: _end, ...order }: RecoverOrder,
  atMs: number,
): Order {
  const isDelivered = order.textCount > 0 || order.fileId !== null;
  return {
    ...order,
    status: isDelivered ? 'completed' : 'pending_delivery',
    firstItem: NO_ITEM,
    adjustments: NO_ADJUSTMENTS,
    // A receipt says the total alone.
    priceRule: null,
    priceListId: null,
    ...(order.idempotencyKey === NO_KEY ? { paidAtMs: atMs } : {}),
  };
}
