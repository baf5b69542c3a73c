/**
 * The shop of every peer, behind the same HTTP as Purser's. One implementation for each database, one HTTP server
 * (`shop-server.ts`) in front of all of them.
 *
 * Money is whole micro-USDT, times are Unix milliseconds. Invariant, unless the shop is broken on purpose: a purchase
 * is one transaction; it is durable when its promise resolves, where the configuration says so.
 */
export interface NewProduct {
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly type: string;
  readonly priceMicros: number;
}

export interface PurchaseRequest {
  readonly apiKey: string;
  readonly idempotencyKey: string;
  /** The hash of the buyer's request: a key that comes again with another hash is refused. */
  readonly requestHash: string;
  readonly productId: number;
  readonly expectedPriceMicros: number;
}

/** A completed order of one item. */
export interface ShopOrder {
  readonly orderId: number;
  readonly productId: number;
  readonly priceMicros: number;
  readonly item: string;
  readonly instructions: string;
  readonly createdAtMs: number;
  readonly balanceAfterMicros: number;
}

/** Codes of SPEC.md, section 6. */
export type Refusal =
  | 'INVALID_API_KEY'
  | 'PRODUCT_NOT_FOUND'
  | 'PRICE_CHANGED'
  | 'OUT_OF_STOCK'
  | 'INSUFFICIENT_BALANCE'
  | 'IDEMPOTENCY_KEY_CONFLICT';

export type PurchaseOutcome =
  | { readonly order: ShopOrder }
  | { readonly refusal: Refusal; readonly currentPriceMicros?: number };

export interface Shop {
  createAccount(name: string): Promise<number>;
  /** Credits an account, once for each reference. False when there is no such account. */
  credit(accountId: number, amountMicros: number, reference: string): Promise<boolean>;
  /** Undefined when there is no such account. */
  issueKey(accountId: number): Promise<string | undefined>;
  createProduct(product: NewProduct): Promise<number>;
  /** How many were added; undefined when there is no such product. */
  addStock(productId: number, items: readonly string[]): Promise<number | undefined>;
  purchase(request: PurchaseRequest): Promise<PurchaseOutcome>;
  /** Micro-USDT; undefined for an unknown key. */
  balance(apiKey: string): Promise<number | undefined>;
  /** Undefined when the key's account has no such order. */
  order(apiKey: string, orderId: number): Promise<ShopOrder | undefined>;
  close(): Promise<void>;
}
