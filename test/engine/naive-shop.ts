/**
 * A shop that is obviously right or obviously wrong: lists, objects and whole USDT, no code shared with the
 * engine.
 */
import { emptyOrder, type NaiveOrder, type NaiveSupplierPurchase } from './naive/naive-order.ts';
import { NaiveShelves } from './naive/naive-shelves.ts';
import { NaiveTerms } from './naive/naive-terms.ts';

/** An order as it is now, or a refusal's code. */
export type NaiveAnswer = NaiveOrder | string;

type Asked = Pick<NaiveSupplierPurchase, 'order' | 'total' | 'key' | 'request'>;

const NOBODY: ReadonlySet<number> = new Set();
/** Refusals after which a key is free. */
const UNSTORED = new Set(['OUT_OF_STOCK', 'BAD_REQUEST', 'RATE_LIMITED']);

export class NaiveShop extends NaiveShelves {
  readonly orders: NaiveOrder[] = [];
  readonly supplierPurchases: NaiveSupplierPurchase[] = [];
  /** The API key of each account that has one. */
  readonly keys: Record<number, string> = {};
  /** Accounts whose key is deactivated. */
  readonly frozen = new Set<number>();
  readonly terms = new NaiveTerms();
  readonly #stored = new Map<string, { request: string; outcome: NaiveAnswer }>();
  /** The request with each key of an order, and the orders refunded by an amount. */
  readonly #adjusted = new Map<string, string>();
  readonly #refundedByAmount = new Set<NaiveOrder>();

  /** Without an `apiKey` nobody asks for one. */
  buy(
    account: number,
    key: string,
    product: number,
    quantity: number,
    expected: number,
    apiKey?: string,
    keptBack = NOBODY,
  ): NaiveAnswer {
    if (apiKey !== undefined && (apiKey !== this.keys[account] || this.frozen.has(account)))
      return 'UNAUTHORIZED';
    const request = `${product} ${quantity} ${expected}`;
    const earlier = this.#stored.get(`${account} ${key}`);
    if (earlier !== undefined) return earlier.request === request ? earlier.outcome : 'IDEMPOTENCY_CONFLICT';
    const order = emptyOrder(account, product, quantity);
    const underWay = this.supplierPurchases.find(
      (supplierPurchase) =>
        supplierPurchase.phase === 'held' &&
        supplierPurchase.key === key &&
        supplierPurchase.order.account === account,
    );
    if (underWay !== undefined) return underWay.request === request ? 'HELD' : 'IDEMPOTENCY_CONFLICT';
    const outcome = this.#pay(order, expected) ?? order;
    if (outcome === 'HELD') return this.#hold({ order, total: expected, key, request }, keptBack);
    if (typeof outcome !== 'string') this.orders.push(outcome);
    if (!UNSTORED.has(String(outcome))) this.#stored.set(`${account} ${key}`, { request, outcome });
    return outcome;
  }

  /** The supplier delivers, at once or later. */
  capture(supplierPurchaseId: number): NaiveAnswer {
    const supplierPurchase = this.supplierPurchases[supplierPurchaseId - 1];
    if (supplierPurchase?.phase !== 'held') return 'NOT_FOUND';
    const { order, total, key, request } = supplierPurchase;
    supplierPurchase.phase = 'pending';
    order.status = 'pending_delivery';
    order.total = total;
    order.balance = this.walletOf(order.account);
    if (key === undefined) return order;
    this.orders.push(order);
    this.#stored.set(`${order.account} ${key}`, { request, outcome: order });
    return order;
  }

  /** `passing`: the suppliers that are kept back, when the next one may be asked. */
  release(
    supplierPurchaseId: number,
    code: string,
    isUnresolved: boolean,
    passing?: ReadonlySet<number>,
  ): NaiveAnswer {
    const supplierPurchase = this.supplierPurchases[supplierPurchaseId - 1];
    if (supplierPurchase?.phase !== 'held') return 'NOT_FOUND';
    const { order, total, key, request, supplier } = supplierPurchase;
    supplierPurchase.phase = isUnresolved ? 'unresolved' : 'ended';
    const { suppliers = [] } = this.product(order.product) ?? {};
    const behind = suppliers.includes(supplier) ? suppliers.slice(suppliers.indexOf(supplier) + 1) : [];
    const next = behind.find((one) => passing?.has(one) === false);
    if (next !== undefined) {
      this.#ask(supplierPurchase, next);
      return 'HELD';
    }
    this.credit(order.account, total);
    if (code !== 'OUT_OF_STOCK' && key !== undefined)
      this.#stored.set(`${order.account} ${key}`, { request, outcome: code });
    return 'RELEASED';
  }

  reconcile(supplierPurchaseId: number, count: number, result: string): NaiveAnswer {
    if (!this.isReconcilable(supplierPurchaseId, result)) return 'NOT_FOUND';
    const supplierPurchase = this.supplierPurchases[supplierPurchaseId - 1] as NaiveSupplierPurchase;
    supplierPurchase.phase = 'ended';
    supplierPurchase.isGivenUp = result === 'given-up';
    supplierPurchase.isDelivered = result === 'delivered';
    if (count > 0) this.upload(supplierPurchase.order.product, count);
    return 'RECONCILED';
  }

  /** Whether it is unresolved, or had ended without items and is delivered after all. */
  isReconcilable(supplierPurchaseId: number, result: string): boolean {
    const { phase, isDelivered } = this.supplierPurchases[supplierPurchaseId - 1] ?? {};
    return phase === 'unresolved' || (phase === 'ended' && result === 'delivered' && isDelivered === false);
  }

  /** The supplier ends what it had promised: so many texts, or none and the money back. */
  end(supplierPurchaseId: number, texts: number | undefined): NaiveAnswer {
    const supplierPurchase = this.supplierPurchases[supplierPurchaseId - 1];
    if (supplierPurchase?.phase !== 'pending') return 'NOT_FOUND';
    const orderId = this.orders.indexOf(supplierPurchase.order) + 1;
    const answer = texts === undefined ? this.fail(orderId) : this.complete(orderId, texts);
    supplierPurchase.isDelivered = texts !== undefined;
    supplierPurchase.phase = 'ended';
    return answer;
  }

  /** The amount on hold. */
  held(account: number): number {
    const held = this.supplierPurchases.filter(
      ({ phase, order }) => phase === 'held' && order.account === account,
    );
    return held.reduce((sum, { total }) => sum + total, 0);
  }

  /** The price of all of them. */
  totalOf(account: number, product: number, quantity: number): number {
    return this.terms.total(account, product, quantity, this.product(product)?.price ?? 0);
  }

  open(account: number, product: number, quantity: number): NaiveAnswer {
    const order = emptyOrder(account, product, quantity);
    const unfit = this.#unfit(order);
    if (unfit !== undefined) return unfit;
    order.total = this.#priceOf(order);
    order.balance = this.walletOf(account);
    this.orders.push(order);
    return order;
  }

  pay(orderId: number, keptBack = NOBODY): NaiveAnswer {
    const order = this.orders[orderId - 1];
    if (order === undefined) return 'NOT_FOUND';
    if (order.status !== 'processing' || this.#isBeingPaid(order)) return 'TRANSITION_NOT_ALLOWED';
    const outcome = this.#pay(order, undefined) ?? order;
    if (outcome === 'HELD')
      return this.#hold({ order, total: this.#priceOf(order), key: undefined, request: '' }, keptBack);
    return outcome;
  }

  complete(orderId: number, texts: number): NaiveAnswer {
    return this.#step(orderId, ['pending_delivery'], 'completed', (order) => {
      order.texts = texts;
    });
  }

  fail(orderId: number): NaiveAnswer {
    return this.#step(orderId, ['processing', 'pending_delivery'], 'failed', (order) => {
      if (order.status === 'pending_delivery') this.credit(order.account, order.total - order.refunded);
    });
  }

  /** Refunds an amount, or items, or else all that is left. */
  refund(orderId: number, key?: string, amount?: number, items?: readonly number[]): NaiveAnswer {
    const order = this.orders[orderId - 1];
    if (order === undefined) return 'NOT_FOUND';
    const earlier = this.#adjusted.get(`${orderId} ${key}`);
    const request = `refund ${amount} ${items}`;
    if (earlier !== undefined) return earlier === request ? order : 'IDEMPOTENCY_CONFLICT';
    if (order.status !== 'completed' && order.status !== 'pending_delivery') return 'TRANSITION_NOT_ALLOWED';
    let returned = amount ?? order.total - order.refunded;
    if (items !== undefined) {
      if (items.some((item) => item >= order.quantity)) return 'BAD_REQUEST';
      if (order.status === 'pending_delivery') return 'TRANSITION_NOT_ALLOWED';
      const isRefunded = items.some((item) => order.refundedItems.includes(item));
      if (isRefunded || this.#refundedByAmount.has(order)) return 'TRANSITION_NOT_ALLOWED';
      returned = (order.total / order.quantity) * items.length;
      order.refundedItems = [...order.refundedItems, ...items].sort();
    }
    if (returned > order.total - order.refunded) return 'TRANSITION_NOT_ALLOWED';
    if (amount !== undefined) this.#refundedByAmount.add(order);
    if (key !== undefined) this.#adjusted.set(`${orderId} ${key}`, request);
    order.refunded += returned;
    this.credit(order.account, returned);
    if (order.refunded < order.total) return order;
    return this.#step(orderId, [order.status], 'refunded', () => {});
  }

  replace(orderId: number, key: string, items: readonly number[]): NaiveAnswer {
    const order = this.orders[orderId - 1];
    if (order === undefined) return 'NOT_FOUND';
    const earlier = this.#adjusted.get(`${orderId} ${key}`);
    const request = `replace ${items}`;
    if (earlier !== undefined) return earlier === request ? order : 'IDEMPOTENCY_CONFLICT';
    const product = this.product(order.product);
    const hasItems = product?.type === 'standard' || product?.type === 'supplied';
    const places = order.items.length > 0 ? order.quantity : order.texts;
    if (order.status !== 'completed' || !hasItems || places === 0) return 'TRANSITION_NOT_ALLOWED';
    if (items.some((item) => item >= places)) return 'BAD_REQUEST';
    if (items.some((item) => order.refundedItems.includes(item))) return 'TRANSITION_NOT_ALLOWED';
    if (product.shelf.length < items.length) return 'OUT_OF_STOCK';
    this.#adjusted.set(`${orderId} ${key}`, request);
    for (const item of items) order.newItems[item] = product.shelf.shift() ?? 0;
    return order;
  }

  #step(orderId: number, from: string[], to: string, then: (order: NaiveOrder) => void): NaiveAnswer {
    const order = this.orders[orderId - 1];
    if (order === undefined) return 'NOT_FOUND';
    if (!from.includes(order.status) || this.#isBeingPaid(order)) return 'TRANSITION_NOT_ALLOWED';
    then(order);
    order.status = to;
    const supplierPurchase = this.supplierPurchases.find(
      (one) => one.order === order && one.phase === 'pending',
    );
    if (supplierPurchase !== undefined) supplierPurchase.phase = 'unresolved';
    return order;
  }

  /** Pays an order, or gives the refusal. */
  #pay(order: NaiveOrder, expected: number | undefined): string | undefined {
    const product = this.product(order.product);
    if (product === undefined) return 'NOT_FOUND';
    const unfit = this.#unfit(order);
    if (unfit !== undefined) return unfit;
    const total = this.#priceOf(order);
    if (expected !== undefined && expected !== total) return 'PRICE_CHANGED';
    const hasItems = product.type === 'standard' || product.type === 'supplied';
    const isShort = hasItems && product.shelf.length < order.quantity;
    const asksSupplier = isShort && product.type === 'supplied';
    if (isShort && !asksSupplier) return 'OUT_OF_STOCK';
    const balance = this.walletOf(order.account) - total;
    if (balance < 0) return 'INSUFFICIENT_BALANCE';
    const limit = this.terms.limits.get(order.account) ?? Number.POSITIVE_INFINITY;
    if (this.#spent(order.account) + total > limit) return 'RATE_LIMITED';
    this.wallets[order.account] = balance;
    if (asksSupplier) return 'HELD';
    order.total = total;
    order.balance = balance;
    order.status = product.type === 'manual' ? 'pending_delivery' : 'completed';
    order.file = product.file;
    if (hasItems) order.items = product.shelf.splice(0, order.quantity);
    return undefined;
  }

  #hold(asked: Asked, keptBack: ReadonlySet<number>): string {
    const { suppliers = [] } = this.product(asked.order.product) ?? {};
    this.#ask(asked, suppliers.find((one) => !keptBack.has(one)) ?? suppliers[0] ?? 0);
    return 'HELD';
  }

  #ask({ order, total, key, request }: Asked, supplier: number): void {
    const open = { phase: 'held', isGivenUp: false, isDelivered: false } as const;
    this.supplierPurchases.push({ order, total, key, request, supplier, ...open });
  }

  /** Why the account can't buy so many. */
  #unfit({ account, product, quantity }: NaiveOrder): string | undefined {
    const { active, type, file } = this.product(product) ?? { active: false };
    const isOnSale = active && (type !== 'file' || file !== null);
    if (!isOnSale || !this.terms.sees(account, product)) return 'NOT_FOUND';
    return this.terms.takes(product, quantity) ? undefined : 'BAD_REQUEST';
  }

  #priceOf({ account, product, quantity }: NaiveOrder): number {
    return this.totalOf(account, product, quantity);
  }

  /** The sum that it bought for so far, without what went back; holds included. */
  #spent(account: number): number {
    const bought = this.orders.filter(
      (order) => order.account === account && !['processing', 'failed'].includes(order.status),
    );
    return bought.reduce((sum, { total, refunded }) => sum + total - refunded, this.held(account));
  }

  /** Whether a supplier is being asked for the order. */
  #isBeingPaid(order: NaiveOrder): boolean {
    return this.supplierPurchases.some(
      (supplierPurchase) => supplierPurchase.order === order && supplierPurchase.phase === 'held',
    );
  }
}
