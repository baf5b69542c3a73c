/**
 * The buyer API as a reseller's program would call it, but with the exact bytes under the test's control.
 *
 * Connections are reused. One whose server went away fails the call: what that means is for the test to say.
 */
import { Agent, type IncomingHttpHeaders } from 'node:http';
import type { PublicJwk } from '../../src/receipts/signing-key.ts';
import { httpRequest, idleSocketMs, jsonObject } from './http-request.ts';

export interface Order {
  readonly orderId: number;
  readonly status: string;
  readonly productId: number;
  readonly quantity: number;
  readonly totalPriceUsdt: number;
  readonly createdAt: number;
  readonly delivery?: { readonly items?: readonly string[]; readonly downloadUrl?: string };
}

export interface Webhook {
  readonly url: string;
  readonly events: readonly string[];
  readonly balanceThresholdUsdt?: number;
  readonly secret?: string;
  readonly standardWebhooksSecret?: string;
  readonly secretMasked?: string;
}

export interface CatalogProduct {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
  readonly priceUsdt: number;
  readonly priceTiers: readonly { readonly minQuantity: number; readonly priceUsdt: number }[];
  readonly availableStock: number | string;
  readonly requiresRecipient: boolean;
}

/** An event of GET /events; each type has fields of its own. */
export interface BuyerEvent extends Readonly<Record<string, unknown>> {
  readonly eventId: string;
  readonly type: string;
  readonly createdAt: number;
}

/** Every field an answer may have; which ones it has is for the test to say. */
export interface BuyerBody extends Partial<Order> {
  readonly success: boolean;
  readonly requestId: string;
  readonly error?: string;
  readonly message?: string;
  readonly currentPriceUsdt?: number;
  readonly balanceAfterUsdt?: number;
  readonly balanceUsdt?: number;
  readonly products?: readonly CatalogProduct[];
  readonly webhook?: Webhook;
  readonly receipt?: string;
  readonly keys?: readonly PublicJwk[];
  readonly events?: readonly BuyerEvent[];
  readonly lastEventId?: string | null;
  readonly hasMore?: boolean;
}

export interface BuyerReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The parsed body; an empty object when it isn't a JSON object. */
  readonly body: BuyerBody;
}

export interface PurchaseBody {
  readonly productId: number;
  readonly quantity?: number;
  readonly expectedPriceUsdt: number;
  readonly recipient?: { readonly username: string };
}

/** Headers in place of the default ones. `undefined` leaves a header out. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/** Told of every reply before the caller is; what it throws, the call rejects with. */
export type OnReply = (method: string, path: string, reply: BuyerReply) => void;

export interface BuyerClientOptions {
  /** Default 64. */
  readonly maxSockets?: number;
  readonly onReply?: OnReply;
  /** Which address of this machine requests come from. */
  readonly localAddress?: string | undefined;
}

export class BuyerClient {
  readonly #base: URL;
  readonly #agent: Agent;
  readonly #onReply: OnReply | undefined;

  /** `buyerUrl` usually ends with `/api/v1/buyer`; every path below is appended to it as it is. */
  constructor(buyerUrl: string, options: BuyerClientOptions = {}) {
    const { maxSockets = 64, onReply, localAddress } = options;
    this.#base = new URL(buyerUrl);
    this.#onReply = onReply;
    this.#agent = new Agent({ keepAlive: true, timeout: idleSocketMs, maxSockets, localAddress });
  }

  close(): void {
    this.#agent.destroy();
  }

  purchase(apiKey: string, idempotencyKey: string, body: PurchaseBody): Promise<BuyerReply> {
    return this.raw(
      'POST',
      '/orders',
      { 'x-api-key': apiKey, 'idempotency-key': idempotencyKey, 'content-type': 'application/json' },
      JSON.stringify(body),
    );
  }

  order(apiKey: string, orderId: number | string): Promise<BuyerReply> {
    return this.raw('GET', `/orders/${orderId}`, { 'x-api-key': apiKey });
  }

  receipt(apiKey: string, orderId: number | string): Promise<BuyerReply> {
    return this.raw('GET', `/orders/${orderId}/receipt`, { 'x-api-key': apiKey });
  }

  balance(apiKey: string): Promise<BuyerReply> {
    return this.raw('GET', '/balance', { 'x-api-key': apiKey });
  }

  products(apiKey: string): Promise<BuyerReply> {
    return this.raw('GET', '/products', { 'x-api-key': apiKey });
  }

  events(apiKey: string, query: Readonly<Record<string, string | number>> = {}): Promise<BuyerReply> {
    const fields = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const search = fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`;
    return this.raw('GET', `/events${search}`, { 'x-api-key': apiKey });
  }

  webhook(apiKey: string): Promise<BuyerReply> {
    return this.raw('GET', '/webhook', { 'x-api-key': apiKey });
  }

  /** Text goes as it is. */
  setWebhook(apiKey: string, body: unknown): Promise<BuyerReply> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    return this.raw('POST', '/webhook', headers, text);
  }

  deleteWebhook(apiKey: string, body: unknown = { confirm: true }): Promise<BuyerReply> {
    const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
    return this.raw('DELETE', '/webhook', headers, JSON.stringify(body));
  }

  /**
   * Any request. A `transfer-encoding` of `chunked` takes the place of the content-length. Rejects when the
   * connection fails or nothing comes back for 30 s.
   */
  async raw(
    method: string,
    path: string,
    headers: RequestHeaders = {},
    body?: string | Uint8Array,
  ): Promise<BuyerReply> {
    const sent = Object.fromEntries(
      Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    if (body !== undefined && sent['transfer-encoding'] === undefined)
      sent['content-length'] = String(Buffer.byteLength(body));
    const {
      status,
      headers: received,
      text,
    } = await httpRequest(
      {
        host: this.#base.hostname,
        port: this.#base.port,
        path: `${this.#base.pathname === '/' ? '' : this.#base.pathname}${path}`,
        method,
        headers: sent,
        agent: this.#agent,
      },
      body,
    );
    const reply = { status, headers: received, text, body: jsonObject(text) as BuyerBody };
    this.#onReply?.(method, path, reply);
    return reply;
  }
}
