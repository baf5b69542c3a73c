/**
 * Facts of purchases that nobody decided, for what measures the checkpoint: they are made fast, and what an order has
 * follows from its number, so that a reader in another process knows what it must find.
 *
 * Accounts and products come at random, keys have 32 random hexadecimal digits, and time goes on.
 */
import { createHash } from 'node:crypto';
import { type Adjustment, NO_ADJUSTMENTS } from '../../src/engine/adjustments.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { NO_KEY, type Order } from '../../src/engine/orders.ts';
import { EPOCH_MS, PER_MS } from '../../src/engine/request-number.ts';
import { worldFacts } from '../../test/engine/commands.ts';
import { Random } from '../../test/support/random.ts';

const balanceMicros = 1e12;
const priceMicros = 10_000;
const beginMs = 1_764_000_000_000;
const ordersPerMs = 4;
const stock = 100_000_000;
/** Time from a request until its order. */
const requestMs = 5;

export interface PlacedOrdersOptions {
  readonly accounts: number;
  readonly products: number;
  /** By default nobody has one. */
  readonly recipientOf?: (orderId: number) => string | null;
  /** The account of an order; default: any. */
  readonly ownerOf?: (orderId: number) => number;
}

export class PlacedOrders {
  /** The facts that made the accounts and the stock. */
  readonly setup: readonly Fact[];
  readonly #options: PlacedOrdersOptions;
  readonly #random = new Random(1);
  readonly #balances: Float64Array;
  readonly #items: Float64Array;
  #lastOrder = 0;

  constructor(options: PlacedOrdersOptions) {
    const { accounts, products } = options;
    this.#options = options;
    this.setup = worldFacts({ accounts, products, balanceMicros, stock });
    this.#balances = new Float64Array(accounts + 1).fill(balanceMicros);
    this.#items = new Float64Array(products + 1);
  }

  /** The next order's fact. */
  place(): Extract<Fact, { kind: 'OrderPlaced' }> {
    const { accounts, products, recipientOf, ownerOf } = this.#options;
    this.#lastOrder += 1;
    const orderId = this.#lastOrder;
    const accountId = ownerOf?.(orderId) ?? accountOf(orderId, accounts);
    const productId = this.#random.between(1, products);
    const firstItem = this.#items[productId] ?? 0;
    this.#items[productId] = firstItem + 1;
    const createdAtMs = timeOf(orderId);
    const order: Order = {
      orderId,
      accountId,
      idempotencyKey: keyOf(orderId),
      productId,
      quantity: 1,
      expectedPriceUsdt: 0.01,
      recipientUsername: recipientOf?.(orderId) ?? null,
      requestNumber: requestNumberOfOrder(orderId),
      status: 'completed',
      totalMicros: priceMicros,
      balanceAfterMicros: this.#moved(accountId, -priceMicros),
      firstItem,
      fileId: null,
      textCount: 0,
      adjustments: NO_ADJUSTMENTS,
      priceRule: 'product',
      priceListId: null,
      createdAtMs,
    };
    return { kind: 'OrderPlaced', order, atMs: createdAtMs };
  }

  /** The whole price goes back, in the moment of the order. */
  refund(order: Order): Fact {
    const { accountId, createdAtMs: atMs } = order;
    const amountMicros = priceMicros;
    const refund: Adjustment = { kind: 'refund', part: 'rest', key: NO_KEY, atMs, amountMicros, items: [] };
    return {
      kind: 'OrderRefunded',
      order: { ...order, status: 'refunded', adjustments: [refund] },
      amountMicros,
      balanceMicros: this.#moved(accountId, amountMicros),
      atMs,
    };
  }

  #moved(accountId: number, micros: number): number {
    const balance = (this.#balances[accountId] ?? 0) + micros;
    this.#balances[accountId] = balance;
    return balance;
  }
}

export function accountOf(orderId: number, accounts: number): number {
  return ((Math.imul(orderId, 0x9e3779b1) >>> 8) % accounts) + 1;
}

export function keyOf(orderId: number): string {
  return createHash('md5').update(String(orderId)).digest('hex');
}

export function timeOf(orderId: number): number {
  return beginMs + Math.floor(orderId / ordersPerMs);
}

export function requestNumberOfOrder(orderId: number): number {
  return (timeOf(orderId) - requestMs - EPOCH_MS) * PER_MS + (orderId % ordersPerMs);
}
