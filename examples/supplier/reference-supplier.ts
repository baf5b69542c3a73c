/**
 * A supplier of codes that speaks Purser's protocol (docs/suppliers.md), and misbehaves when it is told to: the sku
 * says how. The supplier remembers every purchase by its reference before it answers, so a repeated request is
 * answered, not sold again; with a `file`, also after a restart.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once, setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type Purchase, PurchaseMemory } from './purchase-memory.ts';

/**
 * `silent` sells and never answers; `late` sells and answers after `lateMs`, or when `answerLate` is called; `later`
 * and `later-failed` promise, and end when `finish` is called, or after `laterMs`; `top-up` delivers to the
 * recipient.
 */
export const SKUS = [
  'codes',
  'top-up',
  'late',
  'silent',
  'later',
  'later-failed',
  'out-of-stock',
  'failed',
  'reset',
  'garbage',
  'wrong-json',
  'too-few',
  'too-many',
  'twice-the-same',
] as const;
export type Sku = (typeof SKUS)[number];

interface PurchaseRequest {
  readonly reference: string;
  readonly sku: string;
  readonly quantity: number;
  readonly recipient?: { readonly username?: string };
}

/** The steps of a purchase: its request has come, it is sold and remembered, its answer is on its way. */
export type PurchaseStep = 'asked' | 'sold' | 'answered';

export interface SupplierOptions {
  /** The system chooses when it is 0, as by default. */
  readonly port?: number;
  /** Where purchases are remembered, a line of JSON for each change. */
  readonly file?: string;
  /** When what was promised ends by itself; default never. */
  readonly laterMs?: number;
}

const MAX_AGE_MS = 5 * 60_000;
const REPORT_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_MS = 5 * 60_000;

export class ReferenceSupplier {
  readonly secret: string;
  /** How many requests came, `GET`s too. */
  requests = 0;
  /** The stock that it tells of everything; anything, to see what is made of it. */
  available: unknown = 12;
  /** How long a `late` answer takes, at most. */
  lateMs = 1_000;
  /** Texts that it delivers instead of fresh codes, whoever buys. */
  stale: readonly string[] | undefined;
  /** Told of every step of a purchase; what it throws breaks the connection. */
  onStep: (step: PurchaseStep) => void = () => undefined;
  /** The URL that promised purchases are reported to when they end; Purser asks, too. */
  reportTo: string | undefined;
  readonly #memory: PurchaseMemory;
  readonly #laterMs: number | undefined;
  readonly #server: Server;
  readonly #stopping = new AbortController();
  /** The ends of the waits of `late` answers. */
  readonly #late = new Set<() => void>();

  private constructor(secret: string, { file, laterMs }: SupplierOptions) {
    this.secret = secret;
    this.#memory = PurchaseMemory.open(file);
    this.#laterMs = laterMs;
    // One for each promise.
    setMaxListeners(0, this.#stopping.signal);
    this.#server = createServer((incoming, reply) => {
      this.#answer(incoming, reply).catch(() => reply.destroy());
    });
    // Announced, so that Purser closes idle connections first: a purchase that meets the closing of one has failed.
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS;
  }

  static async start(secret: string, options: SupplierOptions = {}): Promise<ReferenceSupplier> {
    const supplier = new ReferenceSupplier(secret, options);
    supplier.#server.listen(options.port ?? 0, '127.0.0.1');
    await once(supplier.#server, 'listening');
    for (const { reference, status } of supplier.purchases.values()) {
      if (status === 'pending') supplier.#finishLater(reference);
    }
    return supplier;
  }

  /** By reference. */
  get purchases(): ReadonlyMap<string, Purchase> {
    return this.#memory.purchases;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.answerLate();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  /** Gives the `late` answers of the purchases that have come so far. */
  answerLate(): void {
    for (const end of this.#late) end();
  }

  /** Ends a promised purchase, as its sku says. */
  finish(reference: string): Purchase {
    const purchase = this.purchases.get(reference);
    if (purchase === undefined) throw new Error(`there is no purchase ${reference}`);
    if (purchase.status !== 'pending') return purchase;
    purchase.status = purchase.sku === 'later-failed' ? 'failed' : 'delivered';
    if (purchase.status === 'delivered')
      purchase.items = [...(this.stale ?? codes(reference, purchase.quantity))];
    this.#memory.keep(purchase);
    return purchase;
  }

  #finishLater(reference: string): void {
    if (this.#laterMs === undefined) return;
    delay(this.#laterMs, undefined, { signal: this.#stopping.signal, ref: false })
      .then(() => this.#report(this.finish(reference)))
      .catch(() => undefined);
  }

  /** Once: who misses it asks. */
  async #report(purchase: Purchase): Promise<void> {
    if (this.reportTo === undefined) return;
    await fetch(this.reportTo, {
      method: 'POST',
      ...this.report(purchase),
      signal: AbortSignal.timeout(REPORT_TIMEOUT_MS),
    });
  }

  /** Headers and body of the report that a purchase has ended. */
  report(purchase: Purchase, signedAtMs = Date.now()): { headers: Record<string, string>; body: string } {
    const { reference, status, items } = purchase;
    const body = JSON.stringify({ reference, status, ...(status === 'delivered' ? { items } : {}) });
    const signature = this.sign(reference, body, signedAtMs);
    return { headers: { 'content-type': 'application/json', 'x-service-signature': signature }, body };
  }

  /** The value of `X-Service-Signature`. */
  sign(reference: string, body: string, signedAtMs = Date.now()): string {
    return this.#signature(signedAtMs, reference, Buffer.from(body));
  }

  async #answer(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    this.requests += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const path = incoming.url ?? '';
    const sku = new URLSearchParams(path.split('?')[1]).get('sku');
    if (sku !== null) {
      if (!this.#isSigned(incoming, sku, body)) return send(reply, 401, { status: 'forged' });
      return send(reply, 200, { available: this.available });
    }
    const reference =
      incoming.method === 'POST' ? incoming.headers['idempotency-key'] : path.split('/').at(-1);
    if (!this.#isSigned(incoming, String(reference), body)) return send(reply, 401, { status: 'forged' });
    if (incoming.method === 'POST') return await this.#sell(JSON.parse(body.toString('utf8')), reply);
    const purchase = this.purchases.get(String(reference));
    if (purchase === undefined) return send(reply, 404, { status: 'unknown' });
    return send(reply, purchase.status === 'pending' ? 202 : 200, answerOf(purchase));
  }

  async #sell(
    { reference, sku, quantity, recipient }: PurchaseRequest,
    reply: ServerResponse,
  ): Promise<void> {
    this.onStep('asked');
    reply.once('finish', () => this.onStep('answered'));
    const known = this.purchases.get(reference);
    if (known !== undefined) return send(reply, known.status === 'pending' ? 202 : 200, answerOf(known));
    if (sku === 'out-of-stock') return send(reply, 409, { status: 'out_of_stock' });
    if (sku === 'failed') return send(reply, 500, { status: 'broken' });
    const isLater = sku === 'later' || sku === 'later-failed';
    const purchase: Purchase = { reference, sku, quantity, status: 'pending', items: [] };
    if (isLater) {
      this.#memory.keep(purchase);
      this.#finishLater(reference);
      this.onStep('sold');
      return send(reply, 202, { status: 'pending' });
    }
    purchase.status = 'delivered';
    purchase.items = [...(this.stale ?? soldItems(sku, reference, quantity, recipient?.username))];
    this.#memory.keep(purchase);
    this.onStep('sold');
    if (sku === 'silent') return;
    if (sku === 'reset') {
      reply.destroy();
      return;
    }
    if (sku === 'late') await this.#beLate();
    if (sku === 'garbage') reply.end('<html>');
    else if (sku === 'wrong-json') send(reply, 200, { status: 'delivered', items: 'all of them' });
    else send(reply, 200, answerOf(purchase));
  }

  async #beLate(): Promise<void> {
    this.#stopping.signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#late.delete(end);
        resolve();
      };
      const timer = setTimeout(end, this.lateMs);
      this.#late.add(end);
    });
    this.#stopping.signal.throwIfAborted();
  }

  #isSigned(incoming: IncomingMessage, reference: string, body: Buffer): boolean {
    const given = Buffer.from(String(incoming.headers['x-service-signature']));
    const signedAtMs = Number(/^t=(\d+),/.exec(given.toString())?.[1]);
    if (!(Math.abs(Date.now() - signedAtMs) <= MAX_AGE_MS)) return false;
    const expected = Buffer.from(this.#signature(signedAtMs, reference, body));
    return given.length === expected.length && timingSafeEqual(given, expected);
  }

  #signature(signedAtMs: number, reference: string, body: Buffer): string {
    const hmac = createHmac('sha256', this.secret).update(`${signedAtMs}.${reference}.`).update(body);
    return `t=${signedAtMs},v1=${hmac.digest('hex')}`;
  }
}

function answerOf({ status, items }: Purchase): Record<string, unknown> {
  return status === 'delivered' ? { status, items } : { status };
}

function soldItems(
  sku: string,
  reference: string,
  quantity: number,
  recipient: string | undefined,
): string[] {
  if (sku === 'top-up') return codes(reference, quantity).map((code) => `${recipient} topped up: ${code}`);
  if (sku === 'too-few') return codes(reference, quantity - 1);
  if (sku === 'too-many') return codes(reference, quantity + 1);
  if (sku === 'twice-the-same') return codes(reference, quantity).fill(`${reference} again`);
  return codes(reference, quantity);
}

function codes(reference: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${reference} code ${index + 1}`);
}

function send(reply: ServerResponse, status: number, body: Record<string, unknown>): void {
  reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
