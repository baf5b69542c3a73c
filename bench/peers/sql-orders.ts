/** Orders as rows of the SQL peers that are servers: both have the same tables, and answer the same of a row. */
import { hashOfApiKey } from './api-keys.ts';
import type { PurchaseOutcome, PurchaseRequest, Refusal, ShopOrder } from './shop.ts';

/** The columns of `orders o`; `instructions` are the product's. */
export const orderColumns =
  'o.order_id, o.product_id, o.price_micros, o.created_at_ms, o.item, o.balance_after_micros';

export interface OrderRow {
  readonly order_id: number;
  readonly product_id: number;
  readonly price_micros: number;
  readonly created_at_ms: number;
  readonly item: string;
  readonly balance_after_micros: number;
  readonly instructions: string;
}

/** The stored answer of an Idempotency-Key. */
export interface StoredRow extends OrderRow {
  readonly refusal: Refusal | null;
  readonly request_hash: string;
}

export function orderOf(row: OrderRow): ShopOrder {
  return {
    orderId: row.order_id,
    productId: row.product_id,
    priceMicros: row.price_micros,
    item: row.item,
    instructions: row.instructions,
    createdAtMs: row.created_at_ms,
    balanceAfterMicros: row.balance_after_micros,
  };
}

/** The answer to a request whose key `row` has. */
export function storedOutcome(row: StoredRow, { requestHash }: PurchaseRequest): PurchaseOutcome {
  if (row.request_hash !== requestHash) return { refusal: 'IDEMPOTENCY_KEY_CONFLICT' };
  if (row.refusal === 'PRICE_CHANGED') return { refusal: row.refusal, currentPriceMicros: row.price_micros };
  return row.refusal === null ? { order: orderOf(row) } : { refusal: row.refusal };
}

/** The parameters of the procedure that buys, but for the last, whether it is broken. */
export function purchaseValues(request: PurchaseRequest): (string | number)[] {
  const { apiKey, idempotencyKey, requestHash, productId, expectedPriceMicros } = request;
  return [hashOfApiKey(apiKey), idempotencyKey, requestHash, productId, expectedPriceMicros, Date.now()];
}
