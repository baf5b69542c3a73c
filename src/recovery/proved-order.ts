/**
 * A receipt's order in the engine's words: the command that brings it back, and the items that aren't there. Nothing
 * here changes anything.
 */
import { isDeepStrictEqual } from 'node:util';
import type { CommandOf } from '../engine/decide/command.ts';
import { microsFromUsdt } from '../engine/money.ts';
import { NO_ITEM, NO_KEY, type Order } from '../engine/orders.ts';
import type { OutstandingItems } from '../engine/recovery/outstanding-items.ts';
import type { ComparedOrder } from '../engine/recovery/recovery-commands.ts';
import { requestNumberOf } from '../engine/request-number.ts';
import { areOrderTexts } from '../persistence/stock/delivered/order-texts.ts';
import { fingerprintOf, type ReceiptClaims } from '../receipts/receipt-claims.ts';
import type { SoldItems, SoldWanted } from './item-search.ts';

export type RecoverOrder = CommandOf<'RecoverOrder'>;

export function isSameOrder(known: Order, claims: ReceiptClaims): boolean {
  return (
    known.accountId === claims.accountId &&
    known.idempotencyKey === (claims.idempotencyKey ?? NO_KEY) &&
    fingerprintOf(known) === claims.fingerprint &&
    known.totalMicros === microsFromUsdt(claims.totalPriceUsdt)
  );
}

export function commandOf(
  claims: ReceiptClaims,
  fileId: string | null,
  textCount: number,
  items: RecoverOrder['items'],
  outstanding: OutstandingItems | undefined,
  searchedEnd: number,
): RecoverOrder {
  return {
    kind: 'RecoverOrder',
    orderId: claims.orderId,
    accountId: claims.accountId,
    idempotencyKey: claims.idempotencyKey ?? NO_KEY,
    productId: claims.productId,
    quantity: claims.quantity,
    expectedPriceUsdt: claims.expectedPriceUsdt,
    recipientUsername: claims.recipientUsername ?? null,
    requestNumber: requestNumberOf(claims.requestId ?? ''),
    totalMicros: microsFromUsdt(claims.totalPriceUsdt) ?? 0,
    balanceAfterMicros: microsFromUsdt(claims.balanceAfterUsdt) ?? 0,
    createdAtMs: claims.createdAt,
    fileId,
    textCount,
    items,
    outstanding,
    ...searched(outstanding, searchedEnd),
  };
}

/** The end of the search, for the command, when something is missing. */
export function searched(
  outstanding: OutstandingItems | undefined,
  searchedEnd: number,
): { searchedEnd?: number } {
  return outstanding === undefined ? {} : { searchedEnd };
}

/**
 * Whether the order has items, of own stock or kept for it. A pending one has none, and neither has one that delivers a
 * file.
 */
export function hasItems({ textCount, firstItem }: Order): boolean {
  return textCount > 0 || firstItem !== NO_ITEM;
}

export function comparedOf({ adjustments, textCount }: Order): ComparedOrder {
  return { adjustments: adjustments.length, textCount };
}

export function isUnchanged(before: Order | undefined, now: Order | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return isDeepStrictEqual(comparedOf(before), comparedOf(now));
}

export function inOrder(
  numbers: ReadonlyMap<number, number>,
): { readonly place: number; readonly item: number }[] {
  return Array.from(numbers, ([place, item]) => ({ place, item })).sort((a, b) => a.place - b.place);
}

/** All that it says the order had. */
export function wholeOf({ itemHashes, formerItems = [] }: ReceiptClaims): SoldWanted {
  return { places: [...itemHashes.keys()], former: formerItems, has: [] };
}

export function madeAt({ epoch, position }: ReceiptClaims): Pick<OutstandingItems, 'epoch' | 'position'> {
  return { epoch, position: position.seq };
}

/** The items that aren't there now. An order that `isPending` keeps all hashes: it has to be delivered again. */
export function outstandingBy(
  claims: ReceiptClaims,
  wanted: SoldWanted,
  { texts, numbers, missingFormer: former }: SoldItems,
  isPending: boolean,
): OutstandingItems | undefined {
  const { orderId, salt, itemHashes } = claims;
  const missing = wanted.places.filter((place) => !texts.has(place));
  const isKept = itemHashes.length > 0 && (isPending || missing.length > 0);
  if (!isKept && former.length === 0) return undefined;
  const items = isKept
    ? { itemHashes, missing, found: Array.from(numbers.values()) }
    : { itemHashes: [], missing: [], found: [] };
  return { orderId, ...madeAt(claims), salt, ...items, former };
}

/** Whether two lists of one order's missing items are by the same receipt, and equally long. */
export function isSameOutstanding(a: OutstandingItems | undefined, b: OutstandingItems | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.epoch === b.epoch &&
    a.position === b.position &&
    a.missing.length === b.missing.length &&
    a.former.length === b.former.length
  );
}

/** By place; none unless all were found, of own stock, and are no longer than the texts of an order may be. */
export function wholeTexts({ itemHashes, quantity }: ReceiptClaims, { texts }: SoldItems): string[] {
  if (texts.size !== itemHashes.length || texts.size !== quantity) return [];
  const all = itemHashes.map((_, place) => texts.get(place) ?? '');
  return areOrderTexts(all) ? all : [];
}
