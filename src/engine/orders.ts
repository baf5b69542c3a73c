/**
 * An order, what it delivers, and the request that asked for it (SPEC.md §2, §4).
 *
 * An order carries the whole identity of its request, so the idempotency table needs no copy of it: the
 * fields are compared, not a hash of the body, which makes key order, white space and an omitted default
 * irrelevant by construction.
 */
import type { Adjustment } from './adjustments.ts';
import { isSameUsdt } from './money.ts';
import type { PricedBy } from './pricing/price-rule.ts';

export const ORDER_STATUSES = ['processing', 'pending_delivery', 'completed', 'failed', 'refunded'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/**
 * A purchase as the buyer asked for it. Two requests with one key are the same exactly when `isSameRequest` says so.
 */
export interface PurchaseRequest {
  readonly accountId: number;
  readonly idempotencyKey: string;
  readonly productId: number;
  readonly quantity: number;
  /** The total the client expects, in USDT, as the JSON number it sent. */
  readonly expectedPriceUsdt: number;
  /** With its `@`; null when none was given. */
  readonly recipientUsername: string | null;
  /** The number of the HTTP request (`request-number.ts`), or `NO_REQUEST`. Not part of what the buyer asked for. */
  readonly requestNumber: number;
}

/** `Order.idempotencyKey` of an order from the bot; no request can have it. */
export const NO_KEY = '';
/** `Order.firstItem` of an order that took no items from stock. */
export const NO_ITEM = -1;

/**
 * An order delivers one of three, or nothing (yet): items from stock, a file, or texts of its own. They are plain
 * fields and no object, because hundreds of thousands of orders are in memory at once.
 */
export interface Order extends PurchaseRequest, PricedBy {
  readonly orderId: number;
  readonly status: OrderStatus;
  /** The amount that was charged, in micro-USDT; for an order that was never paid, the price when it was made. */
  readonly totalMicros: number;
  /** The wallet right after the purchase, or the payment, in micro-USDT; whatever became of the order since. */
  readonly balanceAfterMicros: number;
  /** The number of the first item it took; its items are the `quantity` numbers from there. Else `NO_ITEM`. */
  readonly firstItem: number;
  /** The file that was the product's when it was bought, whatever the product's is now; null for other types. */
  readonly fileId: string | null;
  /** How many texts it was completed with, which are kept under its id; 0 when there are none. */
  readonly textCount: number;
  readonly createdAtMs: number;
  /** When an order from the bot was paid; absent of others, and while it isn't. */
  readonly paidAtMs?: number;
  /** Refunds and replacements since, oldest first; of nearly all orders `NO_ADJUSTMENTS`. */
  readonly adjustments: readonly Adjustment[];
}

/** A refusal that is repeated whenever its key comes again (SPEC.md §4, idempotency rules). */
export interface StoredRefusal extends PurchaseRequest {
  readonly code: StoredRefusalCode;
  /** With `PRICE_CHANGED` only, in micro-USDT; beyond 2^53 the nearest double. */
  readonly currentPriceMicros: number | null;
}

/** Stored by their place in this list: new ones come last. */
export const STORED_REFUSAL_CODES = [
  'NOT_FOUND',
  'PRICE_CHANGED',
  'INSUFFICIENT_BALANCE',
  'PURCHASE_FAILED',
  'PROVIDER_TIMEOUT',
  'IDEMPOTENCY_UNRESOLVED',
] as const;
export type StoredRefusalCode = (typeof STORED_REFUSAL_CODES)[number];

export type PurchaseOutcome = Order | StoredRefusal;

export function isOrder(outcome: PurchaseOutcome): outcome is Order {
  return 'orderId' in outcome;
}

/** The request alone, of what also holds more. */
export function requestOf(request: PurchaseRequest): PurchaseRequest {
  const { accountId, idempotencyKey, productId, quantity, expectedPriceUsdt, recipientUsername } = request;
  const { requestNumber } = request;
  return {
    accountId,
    idempotencyKey,
    productId,
    quantity,
    expectedPriceUsdt,
    recipientUsername,
    requestNumber,
  };
}

export function isSameRequest(a: PurchaseRequest, b: PurchaseRequest): boolean {
  return (
    a.productId === b.productId &&
    a.quantity === b.quantity &&
    isSameUsdt(a.expectedPriceUsdt, b.expectedPriceUsdt) &&
    a.recipientUsername === b.recipientUsername
  );
}
