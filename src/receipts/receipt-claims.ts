/**
 * The claims of a receipt: all that it takes to put the order back as it was into a shop that has lost it, but for the
 * texts of its items, of which it has hashes (docs/receipts.md).
 *
 * Invariant: the claims are the buyer's own data; the names of claims and what they mean never change under one
 * `RECEIPT_TYPE`. Rejected: the texts themselves, for buyers who keep receipts would keep codes in clear.
 */
import { hash } from 'node:crypto';
import { refundedMicros, replacedItems } from '../engine/adjustments.ts';
import type { ItemRange } from '../engine/item-ranges.ts';
import { usdtFromMicros } from '../engine/money.ts';
import { NO_KEY, type Order, type OrderStatus, type PurchaseRequest } from '../engine/orders.ts';
import { NO_REQUEST, requestIdOf } from '../engine/request-number.ts';

export const RECEIPT_TYPE = 'purser-receipt+jws';

/** More than any receipt has: one of 10,000 items, all of them single, all replaced, has 2.5 million characters. */
export const MAX_RECEIPT_BYTES = 4 * 1024 * 1024;

/** Items of own stock that stand in an order side by side: from `place` on the numbers from `firstItem` on. */
export interface PlacedItems extends ItemRange {
  /** The place of the first one in the order; places begin at 0. */
  readonly place: number;
}

/** An item that an order had and has no longer: another one took its place. */
export interface FormerItem {
  readonly item: number;
  readonly hash: string;
}

export interface ReceiptClaims {
  /** Names the shop. */
  readonly shop: string;
  /** The epoch in which the receipt was made; `position` is of this epoch. */
  readonly epoch: number;
  /** The journal was durable up to here when the receipt was made, so the order as it is here comes before. */
  readonly position: { readonly seq: number; readonly hash: string };
  /** When the receipt was made, in Unix milliseconds. */
  readonly issuedAt: number;
  readonly accountId: number;
  readonly orderId: number;
  readonly status: OrderStatus;
  /** Absent of an order from the bot. */
  readonly idempotencyKey?: string;
  /** The id of the request that bought, if one is known. */
  readonly requestId?: string;
  /** `fingerprintOf` the request. */
  readonly fingerprint: string;
  readonly productId: number;
  readonly quantity: number;
  readonly expectedPriceUsdt: number;
  readonly recipientUsername?: string;
  readonly totalPriceUsdt: number;
  /** The wallet right after the purchase. */
  readonly balanceAfterUsdt: number;
  /** The sum that went back since; absent when nothing did. */
  readonly refundedUsdt?: number;
  /** When it was bought, in Unix milliseconds. */
  readonly createdAt: number;
  /** The file of an order that delivers one. */
  readonly fileId?: string;
  /** Which of its items are of own stock, by place. The others were delivered by hand or by a supplier. */
  readonly items: readonly PlacedItems[];
  /** By place; none while nothing is delivered, and of a file. */
  readonly itemHashes: readonly string[];
  /** Absent when there are none. */
  readonly formerItems?: readonly FormerItem[];
  /** 16 random bytes, base64url. */
  readonly salt: string;
}

/** The claims that the order itself doesn't have. */
export interface ReceiptContext {
  readonly shop: string;
  readonly epoch: number;
  readonly position: ReceiptClaims['position'];
  readonly issuedAt: number;
}

/** The hashes of what an order delivers. */
export interface HashedItems {
  readonly salt: string;
  readonly itemHashes: readonly string[];
  readonly formerItems: readonly FormerItem[];
}

/** `sold` are the items that it took from own stock at first, in order. */
export function claimsOf(
  order: Order,
  sold: readonly ItemRange[],
  { salt, itemHashes, formerItems }: HashedItems,
  context: ReceiptContext,
): ReceiptClaims {
  const refunded = refundedMicros(order.adjustments);
  const { idempotencyKey, requestNumber, recipientUsername, fileId } = order;
  return {
    ...context,
    accountId: order.accountId,
    orderId: order.orderId,
    status: order.status,
    ...(idempotencyKey === NO_KEY ? {} : { idempotencyKey }),
    ...(requestNumber === NO_REQUEST ? {} : { requestId: requestIdOf(requestNumber) }),
    fingerprint: fingerprintOf(order),
    productId: order.productId,
    quantity: order.quantity,
    expectedPriceUsdt: order.expectedPriceUsdt,
    ...(recipientUsername === null ? {} : { recipientUsername }),
    totalPriceUsdt: usdtFromMicros(order.totalMicros),
    balanceAfterUsdt: usdtFromMicros(order.balanceAfterMicros),
    ...(refunded === 0 ? {} : { refundedUsdt: usdtFromMicros(refunded) }),
    createdAt: order.createdAtMs,
    ...(fileId === null ? {} : { fileId }),
    items: placed(order, sold, itemHashes.length),
    itemHashes,
    ...(formerItems.length === 0 ? {} : { formerItems }),
    salt,
  };
}

type Asked = Pick<PurchaseRequest, 'productId' | 'quantity' | 'expectedPriceUsdt' | 'recipientUsername'>;

/** Two requests with one key are the same when these are: SHA-256 (hex) of a JSON array of what was asked for. */
export function fingerprintOf({ productId, quantity, expectedPriceUsdt, recipientUsername }: Asked): string {
  return hash('sha256', JSON.stringify([productId, quantity, expectedPriceUsdt, recipientUsername]));
}

/** The numbers of the items that others took the places of, in the order in which they went. */
export function formerNumbers({ adjustments }: Pick<Order, 'adjustments'>): number[] {
  return adjustments.flatMap((adjustment) => {
    const old = adjustment.kind === 'replacement' ? adjustment.oldItems : [];
    return old.filter((item) => item !== null);
  });
}

/** The numbers of its items of own stock, by place. */
export function numbersOf({ items }: Pick<ReceiptClaims, 'items'>): Map<number, number> {
  const numbers = new Map<number, number>();
  for (const { place, firstItem, count } of items) {
    for (let at = 0; at < count; at += 1) numbers.set(place + at, firstItem + at);
  }
  return numbers;
}

/** The items of own stock at their places now, in as few ranges as that takes. */
function placed(order: Order, sold: readonly ItemRange[], places: number): PlacedItems[] {
  const numbers = new Array<number | undefined>(places).fill(undefined);
  let place = 0;
  for (const { firstItem, count } of sold) {
    for (let item = firstItem; item < firstItem + count; item += 1, place += 1) numbers[place] = item;
  }
  for (const [at, item] of replacedItems(order.adjustments)) numbers[at] = item;
  const ranges: { place: number; firstItem: number; count: number }[] = [];
  for (const [at, item] of numbers.entries()) {
    const last = ranges.at(-1);
    if (item === undefined) continue;
    const isNext =
      last !== undefined && last.place + last.count === at && last.firstItem + last.count === item;
    if (isNext) last.count += 1;
    else ranges.push({ place: at, firstItem: item, count: 1 });
  }
  return ranges;
}
