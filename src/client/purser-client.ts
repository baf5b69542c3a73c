/**
 * The buyer API of SPEC.md for a program: every call resolves with the body of the answer, or rejects with a
 * `PurserError` after as many attempts as make sense.
 *
 * The client needs nothing but what Node from 20.19, Deno, Bun and workers have in common: `fetch`, `crypto`, timers
 * and web streams. The client never runs in a browser: the API key spends the wallet (SPEC.md §5).
 */
import { Addresses } from './addresses.ts';
import { ApiCaller, type CallOptions, type RetryNotice } from './api-caller.ts';
import { type Download, download } from './download.ts';
import { EventStream, type EventsOptions } from './event-stream.ts';
import { type WaitOptions, waitForOrder } from './order-wait.ts';
import { Purchase, type PurchaseOptions, type PurchaseSender } from './purchase.ts';
import { type PurchaseFile, type PurchaseStore, purchaseStoreOf } from './purchase-store.ts';
import {
  type KeepReceipt,
  type OnReceiptError,
  type ReceiptFile,
  ReceiptStore,
  receiptOf,
} from './receipt-store.ts';
import type { Balance, Catalog, Health, Order, PurchaseRequest, Receipt } from './resources.ts';
import { REAL_TIMING, type Timing } from './timing.ts';
import { WebhookCalls } from './webhook-configuration.ts';

export interface PurserClientOptions {
  /**
   * Ends with `/api/v1/buyer`. Several, one of each node, for a shop that is a cluster: who does not lead or is not
   * there is passed over at once, and the one that answered is remembered.
   */
  readonly baseUrl: string | readonly string[];
  readonly apiKey: string;
  /** For one attempt of any call but a purchase, at all addresses together; default 15 s. */
  readonly timeoutMs?: number;
  /** For one attempt of a purchase; default 30 s. A supplier alone may take 15 s. */
  readonly purchaseTimeoutMs?: number;
  /** How many times one call may try; default 4, with 1, 2 and 4 s between. Each asks an address once at most. */
  readonly maxAttempts?: number;
  /** A server that asks for a longer wait gets none: the call rejects. Default 60 s. */
  readonly maxRetryAfterMs?: number;
  /** Keeps each purchase before it is sent, in a file or by an object of yours: see `unfinished()`. */
  readonly store?: PurchaseFile | PurchaseStore;
  /**
   * Keeps a receipt of each purchase, in a file (one a line) or by a function of yours. A purchase is answered when its
   * receipt is stored, or `onReceiptError` was told that it isn't.
   */
  readonly receipts?: ReceiptFile | KeepReceipt;
  /**
   * The function that hears of a receipt that isn't stored, and must not throw. The purchase has happened all the same:
   * `receipt(orderId)` gets the receipt later.
   */
  readonly onReceiptError?: OnReceiptError;
  /** A function for your log, which must not throw. */
  readonly onRetry?: (notice: RetryNotice) => void;
  /** Instead of the global one, for a proxy or a connection pool of your own. */
  readonly fetch?: typeof globalThis.fetch;
  /** For tests. */
  readonly timing?: Partial<Timing>;
}

export interface ProductsOptions extends CallOptions {
  /** Products that you can't see are left out. */
  readonly ids?: readonly number[];
}

const TIMEOUT_MS = 15_000;
const PURCHASE_TIMEOUT_MS = 30_000;
const MAX_ATTEMPTS = 4;
const MAX_RETRY_AFTER_MS = 60_000;

export class PurserClient {
  /** The account's webhook configuration. */
  readonly webhook: WebhookCalls;
  readonly #caller: ApiCaller;
  readonly #purchases: PurchaseSender;
  readonly #timeoutMs: number;

  /** Throws a `TypeError` for what can't work. Sends nothing. */
  constructor(options: PurserClientOptions) {
    this.#timeoutMs = positive('timeoutMs', options.timeoutMs ?? TIMEOUT_MS);
    this.#caller = new ApiCaller({
      addresses: new Addresses(checkedBaseUrls(options.baseUrl)),
      apiKey: checkedApiKey(options.apiKey),
      timeoutMs: this.#timeoutMs,
      maxAttempts: positive('maxAttempts', options.maxAttempts ?? MAX_ATTEMPTS),
      maxRetryAfterMs: positive('maxRetryAfterMs', options.maxRetryAfterMs ?? MAX_RETRY_AFTER_MS),
      onRetry: options.onRetry,
      // Called as a plain function: some runtimes refuse a `fetch` with another `this`.
      fetch: options.fetch ?? ((input, init) => fetch(input, init)),
      timing: { ...REAL_TIMING, ...options.timing },
    });
    const { receipts, onReceiptError = () => {}, store } = options;
    this.#purchases = {
      caller: this.#caller,
      timeoutMs: positive('purchaseTimeoutMs', options.purchaseTimeoutMs ?? PURCHASE_TIMEOUT_MS),
      receipts: receipts && new ReceiptStore(this.#caller, receipts, onReceiptError),
      store: store && purchaseStoreOf(store),
    };
    this.webhook = new WebhookCalls(this.#caller);
  }

  /** Whether the service answers; needs no key. */
  health(options?: CallOptions): Promise<Health> {
    return this.#caller.json({ method: 'GET', path: '/health', authenticated: false }, options);
  }

  /** Everything on sale, or up to 100 products alone. */
  async products(options: ProductsOptions = {}): Promise<Catalog> {
    const { ids } = options;
    const query = ids === undefined ? '' : `?ids=${ids.map(checkedId).join(',')}`;
    return this.#caller.json({ method: 'GET', path: `/products${query}` }, options);
  }

  balance(options?: CallOptions): Promise<Balance> {
    return this.#caller.json({ method: 'GET', path: '/balance' }, options);
  }

  /**
   * A purchase with its key, not yet sent: store `idempotencyKey` and `request`, then call `send()`. With a
   * stored key it finishes what an earlier run of the program began. Throws a `TypeError` for a malformed key.
   */
  purchase(request: PurchaseRequest, options: PurchaseOptions = {}): Purchase {
    return new Purchase(this.#purchases, request, options);
  }

  /** The purchases of the store that are not done: send each again, and call `done()`. */
  async unfinished(): Promise<Purchase[]> {
    const stored = (await this.#purchases.store?.unfinished()) ?? [];
    return stored.map(({ idempotencyKey, body }) =>
      this.purchase(JSON.parse(body) as PurchaseRequest, { idempotencyKey }),
    );
  }

  async order(orderId: number, options?: CallOptions): Promise<Order> {
    return this.#caller.json({ method: 'GET', path: orderPath(orderId) }, options);
  }

  /** A signed receipt of the order as it is now: keep it. Rejects with `NOT_FOUND` when nothing is charged for the order. */
  async receipt(orderId: number, options?: CallOptions): Promise<Receipt> {
    return receiptOf(this.#caller, checkedId(orderId), options);
  }

  /**
   * Resolves once the order is `completed`, `failed` or `refunded`: look which. Rejects with `STILL_PENDING`
   * after `maxWaitMs`, or with the last error when there was no answer by then.
   */
  waitForOrder(orderId: number, options: WaitOptions = {}): Promise<Order> {
    return waitForOrder(this.#caller, (callOptions) => this.order(orderId, callOptions), options);
  }

  /** All events from a place on: `for await (const event of client.events({ place: { file } })) …` never ends. */
  events(options: EventsOptions = {}): EventStream {
    return new EventStream(this.#caller, this.#timeoutMs, options);
  }

  /** The file of a completed order for a file product. */
  async download(orderId: number, options: CallOptions = {}): Promise<Download> {
    return download(this.#caller, `${orderPath(orderId)}/download`, options.signal);
  }
}

function orderPath(orderId: number): string {
  return `/orders/${checkedId(orderId)}`;
}

function checkedId(id: number): number {
  if (!Number.isSafeInteger(id) || id < 1) throw new TypeError(`${id} is not an id`);
  return id;
}

function checkedBaseUrls(baseUrl: string | readonly string[]): [string, ...string[]] {
  const [first, ...others] = typeof baseUrl === 'string' ? [baseUrl] : baseUrl;
  if (first === undefined) throw new TypeError('baseUrl must have at least one address');
  return [checkedBaseUrl(first), ...others.map(checkedBaseUrl)];
}

function checkedBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    `${url.username}${url.search}${url.hash}` !== ''
  ) {
    throw new TypeError('baseUrl must be like https://shop.example/api/v1/buyer');
  }
  return url.href.replace(/\/+$/, '');
}

/** The message doesn't show it: messages end up in logs. */
function checkedApiKey(apiKey: string): string {
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey is missing, or has characters that no API key has');
  }
  return apiKey;
}

function positive(name: string, value: number): number {
  if (!(value > 0 && value < 2 ** 31)) throw new TypeError(`${name} must be a positive number`);
  return value;
}
