/**
 * What closes the gap of a restore (docs/decisions/0032): orders that are proved, items that are set aside, the end.
 *
 * What always holds: an order is recovered once, whole or not at all, and what stands against it is said; no item goes to
 * a recovered order that somebody else has. Who proves that there was such an order is not here: a command is believed.
 */
import { type Adjustment, NO_ADJUSTMENTS, replacedItems, tooManyAdjustments } from './adjustments.ts';
import type { CommandOf, QuarantineResult, RecoveryResult } from './command.ts';
import { allowed } from './decide-order.ts';
import { isRecalledSince, recalledMeanwhile, tooManyRanges, tooMuchStock } from './decide-product.ts';
import { outcomeOf } from './decide-purchase.ts';
import { type Deciders, noSuch } from './decision.ts';
import { type History, orderOf } from './history.ts';
import { countOf, type ItemRange } from './item-ranges.ts';
import {
  MAX_ITEMS_PER_PRODUCT,
  MAX_OWED_HASHES,
  MAX_RECOVERED_RANGES,
  MAX_WAITING_DEBITS,
  MAX_WITHDRAWN_RANGES,
} from './limits.ts';
import { isOrder, NO_ITEM, NO_KEY, type Order } from './orders.ts';
import { hashCountOf } from './owed-items.ts';
import { Rejection } from './rejection.ts';
import { soldItems } from './sale.ts';
import type { State } from './state.ts';

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
      owedRefusal(state, command);
    if (refusal !== undefined) return refused(orderId, refusal);
    const hasMoney = totalMicros <= account.walletMicros;
    if (!hasMoney && state.waitingDebits.size >= MAX_WAITING_DEBITS) {
      return refused(orderId, `${MAX_WAITING_DEBITS} debits wait already: enter the credits that were lost`);
    }
    return {
      kind: 'OrderRecovered',
      order: orderFrom(command),
      items,
      debitMicros: hasMoney ? totalMicros : 0,
      waitingMicros: hasMoney ? 0 : totalMicros,
      balanceMicros: account.walletMicros - (hasMoney ? totalMicros : 0),
      ...(command.owed === undefined ? {} : { owed: command.owed }),
      atMs,
    };
  },
  AmendOrder(state, command, atMs, history) {
    const { orderId, items, textCount, replaced, owed } = command;
    const order = orderOf(state, history, orderId);
    if (order === undefined) return noSuch('order');
    const refusal =
      (state.supplierPurchases.ofOrder(orderId) === undefined
        ? undefined
        : 'its supplier is asked about it') ??
      itemsRefusal(state, command) ??
      owedRefusal(state, command);
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
    const isDelivered = textCount > 0 && order.status === 'pending_delivery';
    const delivered = isDelivered ? ({ status: 'completed', textCount } as const) : {};
    return allowed(order, {
      kind: 'OrderAmended',
      order: { ...order, adjustments, ...delivered },
      items,
      ...(isDelivered ? { delivers: true } : {}),
      ...(owed === undefined ? {} : { owed }),
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
  QuarantineItems(state, { productId, count: wanted }, atMs) {
    const { products, stock } = state;
    if (products.get(productId) === undefined) return noSuch('product');
    const count = Math.min(wanted, stock.available(productId));
    if (count === 0) return quarantineResult(state, productId, []);
    // They become one range with the gaps between them.
    if (stock.withdrawn(productId).length > MAX_RECOVERED_RANGES) return tooManyRanges();
    const ranges = stock.itemsFrom(productId, stock.of(productId).next, count).slice(0, MAX_WITHDRAWN_RANGES);
    return { kind: 'ItemsQuarantined', productId, ranges, atMs };
  },
  EndQuarantine(state, { productId, ranges, release, recalledItems }, atMs) {
    const { products, stock } = state;
    if (products.get(productId) === undefined) return noSuch('product');
    const lost = stock.lost(productId);
    const areIn = ranges.every(({ firstItem, count }) => {
      return countOf(lost?.quarantined.within(firstItem, count) ?? []) === count;
    });
    if (!areIn) {
      // A receipt may have claimed them while the command waited.
      return new Rejection(
        'TRANSITION_NOT_ALLOWED',
        'Some of these items are not in quarantine (any more). Try again.',
      );
    }
    if (ranges.length === 0) return quarantineResult(state, productId, []);
    if (release === undefined) return { kind: 'QuarantineEnded', productId, ranges, released: null, atMs };
    const { firstItem, label } = release;
    const count = countOf(ranges);
    if (firstItem + count > MAX_ITEMS_PER_PRODUCT) return tooMuchStock();
    const recalled = stock.recalled(productId);
    if (isRecalledSince(stock, productId, recalledItems)) return recalledMeanwhile();
    if (ranges.some((range) => recalled.some((lot) => doOverlap(range, lot)))) {
      return new Rejection(
        'TRANSITION_NOT_ALLOWED',
        'Some of these items were recalled. Withdraw them instead.',
      );
    }
    const lot = { lotId: state.lastLotId + 1, ...label };
    return { kind: 'QuarantineEnded', productId, ranges, released: { firstItem, count, lot }, atMs };
  },
  OpenSales({ gap }, _command, atMs) {
    return gap === null ? { gap } : { kind: 'SalesOpened', atMs };
  },
} satisfies Partial<Deciders>;

/** After the items have left the quarantine, or entered it. */
export function quarantineResult(
  { stock }: State,
  productId: number,
  ranges: readonly ItemRange[],
): QuarantineResult {
  const quarantined = countOf(stock.lost(productId)?.quarantined.list ?? []);
  return { ranges, quarantined, availableStock: stock.available(productId) };
}

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

/** What has to be created before the order can come back, and how. */
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

function owedRefusal(
  { stock }: State,
  { orderId, productId, owed }: Pick<RecoverOrder, 'orderId' | 'productId' | 'owed'>,
): string | undefined {
  if (owed === undefined) return undefined;
  const lost = stock.lost(productId);
  const before = lost?.owedOf(orderId);
  const others = (lost?.owedHashes ?? 0) - (before === undefined ? 0 : hashCountOf(before));
  return others === 0 || others + hashCountOf(owed) <= MAX_OWED_HASHES
    ? undefined
    : `product ${productId} has ${others} delivered items already that are not found, which is the most: upload again what was lost, or complete its pending orders by hand, and take the receipts in again`;
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

function orderFrom({ items: _items, kind: _kind, owed: _owed, ...order }: RecoverOrder): Order {
  const isDelivered = order.textCount > 0 || order.fileId !== null;
  return {
    ...order,
    status: isDelivered ? 'completed' : 'pending_delivery',
    firstItem: NO_ITEM,
    adjustments: NO_ADJUSTMENTS,
  };
}

function doOverlap(a: ItemRange, b: ItemRange): boolean {
  return a.firstItem < b.firstItem + b.count && b.firstItem < a.firstItem + a.count;
}
