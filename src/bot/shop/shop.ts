/**
 * The shop as its customers in chats know it: what the bot asks of the operator API. Each call may be repeated, so that a
 * bot that is killed begins an update anew.
 *
 * Invariant: whatever is read of an order is that of the chat's own account: the bot's token opens those of all chats.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Purchase } from '../state/question.ts';
import { type Fields, type OperatorCalls, ShopRefusal } from './operator-calls.ts';

export interface Account {
  readonly accountId: number;
  readonly balanceUsdt: number;
  readonly heldUsdt: number;
  readonly externalId: string | null;
  readonly keyPrefix?: string;
  readonly keyActive?: boolean;
  readonly webhook?: { readonly host: string; readonly events: readonly string[] } | null;
}

export interface Product {
  readonly productId: number;
  readonly name: string;
  readonly instructions: string;
  readonly active: boolean;
  readonly requiresRecipient: boolean;
  readonly availableStock: number | 'unlimited';
}

export interface Price {
  readonly totalUsdt: number;
  readonly visible: boolean;
}

export interface Order {
  readonly orderId: number;
  readonly accountId: number;
  readonly status: 'processing' | 'pending_delivery' | 'completed' | 'failed' | 'refunded';
  readonly productId: number;
  readonly quantity: number;
  readonly totalPriceUsdt: number;
  readonly createdAt: number;
  readonly recipientUsername?: string;
  readonly delivery?: { readonly items?: readonly string[]; readonly downloadUrl?: string };
}

export interface Movement {
  readonly at: number;
  readonly kind: string;
  readonly amountUsdt: number;
  readonly orderId?: number;
}

export interface Deposit {
  readonly network: string;
  readonly address: string;
  readonly amountUsdt: number;
  readonly payUsdt: number;
  readonly expiresAt: number;
}

export interface Delivery {
  readonly type: string;
  readonly status: string;
  readonly createdAt: number;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor?: string;
}

/** The account's id in the shop. */
export function externalIdOf(chatId: number): string {
  return `telegram:${chatId}`;
}

/** Undefined of an account that isn't a chat's. */
export function chatIdOf({ externalId }: Account): number | undefined {
  const [, digits] = /^telegram:(-?\d{1,16})$/.exec(externalId ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const MINUTE_MS = 60_000;
/** The longest and the shortest period of the last movements, and how many are looked at to find one of a page. */
const RECENT_MS = 30 * 24 * 60 * MINUTE_MS;
const SHORTEST_MS = 1_000;
const MOST_PERIODS = 12;
/** A deposit that is as good as a new one waits at least so long. */
const WORTH_PAYING_MS = 10 * MINUTE_MS;
const ASK_AGAIN_MS = 1_000;

/** Names and instructions of products are taken for so long from what was read before. */
const PRODUCT_AGE_MS = MINUTE_MS;
const MOST_PRODUCTS = 1_000;

interface ReadProduct {
  readonly product: Promise<Product | undefined>;
  readonly atMs: number;
}

export class Shop {
  readonly #calls: OperatorCalls;
  /** By id, the oldest first. */
  readonly #products: Map<number, ReadProduct>;

  constructor(calls: OperatorCalls, products = new Map<number, ReadProduct>()) {
    this.#calls = calls;
    this.#products = products;
  }

  /** The same, for a chat that is told, once, when an answer takes long. */
  telling(onWait: () => void): Shop {
    return new Shop(this.#calls.telling(onWait), this.#products);
  }

  /** The account of a chat, which is made when there is none. */
  async accountOf(chatId: number, name: string): Promise<Account> {
    return await this.#post('/accounts', { name, externalId: externalIdOf(chatId) });
  }

  /** With its webhook. Undefined of an account that isn't the bot's own any more. */
  account(accountId: number): Promise<Account | undefined> {
    return unlessRefused(this.#get(`/accounts/${accountId}`), 'NOT_FOUND', 'FORBIDDEN');
  }

  async products(cursor: string | undefined, limit: number): Promise<Page<Product>> {
    return pageOf(await this.#get(`/products?limit=${limit}${cursorField(cursor)}`), 'products');
  }

  product(productId: number): Promise<Product | undefined> {
    return unlessRefused(this.#get(`/products/${productId}`), 'NOT_FOUND');
  }

  /** The product as it was a moment ago: for its texts, and not for its stock. */
  recentProduct(productId: number): Promise<Product | undefined> {
    const read = this.#products.get(productId);
    if (read !== undefined && performance.now() - read.atMs < PRODUCT_AGE_MS) return read.product;
    const product = this.product(productId);
    product.catch(() => this.#products.delete(productId));
    this.#products.delete(productId);
    this.#products.set(productId, { product, atMs: performance.now() });
    for (const oldest of this.#products.keys()) {
      if (this.#products.size <= MOST_PRODUCTS) break;
      this.#products.delete(oldest);
    }
    return product;
  }

  /** Undefined when there is no such product. */
  price(accountId: number, productId: number, quantity: number): Promise<Price | undefined> {
    const path = `/accounts/${accountId}/price?productId=${productId}&quantity=${quantity}`;
    return unlessRefused(this.#get(path), 'NOT_FOUND');
  }

  /** An order of this account, undefined when there is none. With `items`, the shop records that they were shown. */
  async order(accountId: number, orderId: number, items: boolean): Promise<Order | undefined> {
    const path = `/orders/${orderId}?items=${items}`;
    const order = await unlessRefused(this.#get<Order>(path), 'NOT_FOUND', 'FORBIDDEN');
    return order?.accountId === accountId ? order : undefined;
  }

  async orders(accountId: number, cursor: string | undefined, limit: number): Promise<Page<Order>> {
    const path = `/orders?accountId=${accountId}&limit=${limit}${cursorField(cursor)}`;
    return pageOf(await this.#get(path), 'orders');
  }

  /** The bytes that a file order delivers, `too-large` beyond `most`; undefined when it delivers none any more. */
  file(orderId: number, most: number): Promise<Uint8Array | 'too-large' | undefined> {
    return unlessRefused(this.#calls.file(`/orders/${orderId}/file`, most), 'NOT_FOUND');
  }

  /** The last movements of the wallet, the newest first; `most` of them at most: those of a period that has just one page. */
  async movements(accountId: number, most: number): Promise<readonly Movement[]> {
    const nowMs = Date.now();
    let last: readonly Movement[] = [];
    let [shortMs, longMs, periodMs] = [SHORTEST_MS, RECENT_MS, RECENT_MS];
    for (let periods = 0; periods < MOST_PERIODS; periods += 1) {
      const path = `/accounts/${accountId}/statement?from=${Math.round(nowMs - periodMs)}`;
      const { rows, nextCursor } = pageOf<Movement>(await this.#get(path), 'movements');
      if (nextCursor !== undefined) longMs = periodMs;
      else {
        last = rows.slice(-most).reverse();
        if (rows.length >= most || periodMs === RECENT_MS) break;
        shortMs = periodMs;
      }
      periodMs = Math.sqrt(shortMs * longMs);
    }
    return last;
  }

  /** Opened once for a question, however often this is called. */
  async openOrder(accountId: number, purchase: Purchase, key: string): Promise<Order> {
    const { productId, quantity, recipient } = purchase;
    const to = recipient === undefined ? {} : { recipient: { username: recipient } };
    return await this.#post('/orders', { accountId, productId, quantity, ...to }, key);
  }

  /** Pays an order that is open; one that was paid before is given as it is. Rejects with `ShopRefusal`. */
  async pay(order: Order, expectedPriceUsdt: number): Promise<Order> {
    for (;;) {
      try {
        return await this.#post(`/orders/${order.orderId}/pay`, { expectedPriceUsdt });
      } catch (error) {
        if (!ShopRefusal.is(error, 'TRANSITION_NOT_ALLOWED')) throw error;
        const now = await this.order(order.accountId, order.orderId, false);
        if (now === undefined) throw error;
        if (now.status !== 'processing') return now;
        // Its supplier is being asked.
        await delay(ASK_AGAIN_MS);
      }
    }
  }

  /** Ends an order that isn't paid. */
  async cancel(orderId: number): Promise<void> {
    await unlessRefused(this.#post(`/orders/${orderId}/fail`, {}), 'TRANSITION_NOT_ALLOWED');
  }

  /** Undefined when the key was issued before with this `Idempotency-Key`, which shows it once. */
  async issueKey(accountId: number, idempotencyKey: string): Promise<string | undefined> {
    const { apiKey } = await this.#post<Fields>(`/accounts/${accountId}/key`, {}, idempotencyKey);
    return apiKey === undefined ? undefined : String(apiKey);
  }

  async stopKey(accountId: number): Promise<void> {
    await this.#calls.call({ method: 'PATCH', path: `/accounts/${accountId}/key`, body: { active: false } });
  }

  /** Networks by which deposits can be paid. */
  async networks(): Promise<readonly string[]> {
    const { addresses } = await this.#get<Fields>('/deposits/addresses?watching=false');
    return [...new Set((addresses as readonly { network: string }[]).map(({ network }) => network))];
  }

  /** The epoch of the shop's history. */
  async epoch(): Promise<number> {
    return Number((await this.#get<Fields>('/deposits/addresses?watching=false')).epoch);
  }

  /** A deposit of this amount: one that waits and has time left, or a new one. */
  async deposit(accountId: number, network: string, amountUsdt: number): Promise<Deposit> {
    const waiting = pageOf<Deposit>(
      await this.#get(`/deposits?accountId=${accountId}&state=waiting`),
      'deposits',
    );
    const known = waiting.rows.find(
      (row) =>
        row.network === network &&
        row.amountUsdt === amountUsdt &&
        row.expiresAt - Date.now() > WORTH_PAYING_MS,
    );
    return known ?? (await this.#post(`/accounts/${accountId}/deposits`, { network, amountUsdt }));
  }

  async deliveries(accountId: number, limit: number): Promise<readonly Delivery[]> {
    const path = `/webhooks/${accountId}/deliveries?limit=${limit}`;
    return pageOf<Delivery>(await this.#get(path), 'deliveries').rows;
  }

  /** The answer's status, or why there was none. */
  async testWebhook(accountId: number): Promise<string> {
    const { attempt } = await this.#post<Fields>(`/webhooks/${accountId}/test`, {});
    const { status, error } = attempt as { status?: number; error?: { code: string } };
    return String(status ?? error?.code ?? '');
  }

  async #get<Result>(path: string): Promise<Result> {
    return (await this.#calls.call({ method: 'GET', path })) as Result;
  }

  async #post<Result>(path: string, body: Fields, key?: string): Promise<Result> {
    return (await this.#calls.call({ method: 'POST', path, body, ...(key && { key }) })) as Result;
  }
}

function pageOf<Row>(fields: Fields, name: string): Page<Row> {
  const { nextCursor } = fields;
  return {
    rows: fields[name] as readonly Row[],
    ...(nextCursor === undefined ? {} : { nextCursor: String(nextCursor) }),
  };
}

function cursorField(cursor: string | undefined): string {
  return cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
}

async function unlessRefused<Result>(
  call: Promise<Result>,
  ...codes: readonly string[]
): Promise<Result | undefined> {
  try {
    return await call;
  } catch (error) {
    if (ShopRefusal.is(error, ...codes)) return undefined;
    throw error;
  }
}
