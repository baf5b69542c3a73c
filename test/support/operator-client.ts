/**
 * The operator API as a test or the benchmark uses it: one method a call, a status and a body back, nothing
 * thrown for a refusal. `ok` is for preparing a scene, where anything but success is a mistake of the scene.
 */
import { Agent } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { httpRequest, idleSocketMs, jsonObject, replyTimeoutMs } from './http-request.ts';

export interface Account {
  readonly accountId: number;
  readonly name: string;
  readonly balanceUsdt: number;
  readonly heldUsdt: number;
}

export interface PriceTier {
  readonly minQuantity: number;
  /** Per unit. */
  readonly priceUsdt: number;
}

export interface ProductInput {
  readonly name?: string;
  readonly description?: string;
  readonly instructions?: string;
  readonly type?: string;
  readonly priceUsdt?: number;
  readonly priceTiers?: readonly PriceTier[];
  readonly requiresRecipient?: boolean;
  readonly allowDuplicates?: boolean;
  readonly lowStock?: number | null;
  readonly active?: boolean;
  readonly supplierId?: number | null;
  readonly supplierSku?: string | null;
}

/** The fields of an open supplier purchase, or of one that has ended. */
interface SupplierPurchaseFields {
  readonly supplierPurchaseId: number;
  readonly phase?: string;
  readonly cause?: string;
  readonly orderId?: number;
  readonly productId: number;
  readonly idempotencyKey?: string;
  readonly reference: string;
  readonly result?: string;
  readonly itemsDelivered?: number;
  readonly itemsIntoStock?: number;
  readonly endedAt?: number;
}

/** Every field an operator's answer may have; which ones it has is for the test to say. */
export interface OperatorBody {
  readonly success: boolean;
  readonly requestId: string;
  readonly purchaseRequestId?: string;
  readonly error?: string;
  readonly message?: string;
  readonly accountId?: number;
  readonly name?: string;
  readonly balanceUsdt?: number;
  readonly heldUsdt?: number;
  readonly scopes?: readonly string[];
  readonly apiKey?: string;
  readonly productId?: number;
  readonly allowDuplicates?: boolean;
  readonly supplierId?: number;
  readonly supplierPurchases?: readonly SupplierPurchaseFields[];
  readonly ended?: readonly SupplierPurchaseFields[];
  readonly operatorId?: number;
  readonly token?: string;
  readonly createdAt?: number;
  readonly expiresAt?: number;
  readonly previousTokenExpiresAt?: number;
  readonly revokedAt?: number;
  readonly repeated?: boolean;
  readonly accounts?: readonly OperatorBody[];
  readonly operators?: readonly Readonly<Record<string, unknown>>[];
  readonly orderId?: number;
  readonly priceUsdt?: number;
  readonly active?: boolean;
  readonly added?: number;
  readonly duplicates?: number;
  readonly availableStock?: number | string;
  readonly withdrawn?: number;
  readonly items?: readonly string[];
  readonly status?: string;
  readonly quantity?: number;
  readonly totalPriceUsdt?: number;
  readonly balanceAfterUsdt?: number;
  readonly refundedUsdt?: number;
  readonly keyActive?: boolean;
  readonly adjustments?: readonly Readonly<Record<string, unknown>>[];
  readonly currentPriceUsdt?: number;
  readonly recipientUsername?: string;
  readonly idempotencyKey?: string;
  readonly delivery?: { readonly items?: readonly string[]; readonly downloadUrl?: string };
  readonly orders?: readonly OperatorBody[];
  readonly nextCursor?: string;
  readonly file?: {
    readonly fileId: string;
    readonly sizeBytes: number;
    readonly contentType: string;
    readonly sha256: string;
  };
}

export interface OperatorReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; `success` is undefined in it when the answer wasn't JSON. */
  readonly body: OperatorBody;
}

export type StockSource = readonly string[] | string | ReadableStream<Uint8Array>;

export class OperatorClient {
  readonly #url: string;
  readonly #token: string;
  readonly #patienceMs: number;
  /** Idle sockets keep no process alive. */
  readonly #agent = new Agent({ keepAlive: true, timeout: idleSocketMs });

  /** `operatorUrl` ends with `/operator/v1`. An answer is waited for so long. */
  constructor(operatorUrl: string, token: string, patienceMs = replyTimeoutMs) {
    this.#url = operatorUrl;
    this.#token = token;
    this.#patienceMs = patienceMs;
  }

  createAccount(input: {
    name: string;
    rateLimitPerMinute?: number | null;
    webhookConcurrency?: number;
  }): Promise<OperatorReply> {
    return this.json('POST', '/accounts', input);
  }

  createSupplier(input: { name: string; url: string; secret: string }): Promise<OperatorReply> {
    return this.json('POST', '/suppliers', input);
  }

  /** The purchases at suppliers that are open, and those that have ended lately. */
  listSupplierPurchases(): Promise<OperatorReply> {
    return this.json('GET', '/supplier-purchases');
  }

  /** Asks suppliers about all that is open, and waits for their answers. */
  reconcileSupplierPurchases(): Promise<OperatorReply> {
    return this.json('POST', '/supplier-purchases/reconcile', {});
  }

  getAccount(accountId: number): Promise<OperatorReply> {
    return this.json('GET', `/accounts/${accountId}`);
  }

  issueKey(accountId: number, scopes?: readonly string[]): Promise<OperatorReply> {
    return this.json('POST', `/accounts/${accountId}/key`, scopes === undefined ? {} : { scopes });
  }

  revokeKey(accountId: number): Promise<OperatorReply> {
    return this.json('DELETE', `/accounts/${accountId}/key`);
  }

  credit(accountId: number, amountUsdt: number, reference: string): Promise<OperatorReply> {
    return this.json('POST', `/accounts/${accountId}/credits`, { amountUsdt, reference });
  }

  createProduct(input: ProductInput): Promise<OperatorReply> {
    return this.json('POST', '/products', input);
  }

  updateProduct(productId: number, changes: ProductInput): Promise<OperatorReply> {
    return this.json('PATCH', `/products/${productId}`, changes);
  }

  getProduct(productId: number): Promise<OperatorReply> {
    return this.json('GET', `/products/${productId}`);
  }

  /** A list goes as `{"items": […]}`, text and streams as `text/plain`, one item a line. */
  addStock(
    productId: number,
    source: StockSource,
    options: { allowDuplicates?: boolean } = {},
  ): Promise<OperatorReply> {
    const { allowDuplicates } = options;
    const query = allowDuplicates === undefined ? '' : `?allowDuplicates=${allowDuplicates}`;
    const path = `/products/${productId}/stock${query}`;
    if (Array.isArray(source)) return this.json('POST', path, { items: source });
    return this.request('POST', path, { 'content-type': 'text/plain' }, source as string | ReadableStream);
  }

  /** A stream goes without a length. */
  setFile(
    productId: number,
    bytes: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
    contentType = 'application/octet-stream',
  ): Promise<OperatorReply> {
    return this.request('PUT', `/products/${productId}/file`, { 'content-type': contentType }, bytes);
  }

  withdrawStock(productId: number, count: number): Promise<OperatorReply> {
    return this.json('DELETE', `/products/${productId}/stock?count=${count}`);
  }

  /** An order from the bot. */
  openOrder(input: { accountId: number; productId: number; quantity?: number }): Promise<OperatorReply> {
    return this.json('POST', '/orders', input);
  }

  getOrder(orderId: number): Promise<OperatorReply> {
    return this.json('GET', `/orders/${orderId}`);
  }

  /** POST /orders/{id}/pay, complete, fail or refund. */
  moveOrder(
    orderId: number,
    step: 'pay' | 'complete' | 'fail' | 'refund',
    body?: unknown,
  ): Promise<OperatorReply> {
    return this.json('POST', `/orders/${orderId}/${step}`, body);
  }

  /** POST /orders/{id}/refund or replace, with the header `Idempotency-Key` when there is a key. */
  adjustOrder(
    orderId: number,
    step: 'refund' | 'replace',
    body: object,
    idempotencyKey?: string,
  ): Promise<OperatorReply> {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
    return this.json('POST', `/orders/${orderId}/${step}`, body, headers);
  }

  json(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<OperatorReply> {
    if (body === undefined) return this.request(method, path, headers);
    const json = { 'content-type': 'application/json', ...headers };
    return this.request(method, path, json, JSON.stringify(body));
  }

  /** Any request; `headers` may replace the token. */
  async request(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  ): Promise<OperatorReply> {
    const sent = { authorization: `Bearer ${this.#token}`, ...headers };
    if (body instanceof ReadableStream) return this.#stream(method, path, sent, body);
    const { status, rawHeaders, text } = await httpRequest(
      {
        ...urlToHttpOptions(new URL(`${this.#url}${path}`)),
        method,
        headers: body === undefined ? sent : { 'content-length': String(Buffer.byteLength(body)), ...sent },
        agent: this.#agent,
        timeout: this.#patienceMs,
      },
      body,
    );
    return { status, headers: headersOf(rawHeaders), text, body: jsonObject(text) as OperatorBody };
  }

  async #stream(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: ReadableStream<Uint8Array>,
  ): Promise<OperatorReply> {
    const signal = AbortSignal.timeout(this.#patienceMs);
    const response = await fetch(`${this.#url}${path}`, { method, headers, body, duplex: 'half', signal });
    const text = await response.text();
    const { status, headers: answered } = response;
    return { status, headers: answered, text, body: jsonObject(text) as OperatorBody };
  }
}

function headersOf(rawHeaders: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  }
  return headers;
}

/** The body of an answer that a scene depends on; throws when the call was refused. */
export async function ok(reply: Promise<OperatorReply>): Promise<OperatorBody> {
  const { status, body, text } = await reply;
  if (status >= 200 && status < 300) return body;
  throw new Error(`the operator API answered ${status}: ${text}`);
}
