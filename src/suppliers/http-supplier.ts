/**
 * The suppliers' protocol over HTTP (docs/suppliers.md): signed requests, and what the answers mean.
 *
 * Invariant: one deadline covers everything from the look-up to the last byte; redirects are not followed; the size of
 * an answer is bounded; an answer that is not in the protocol is a failure, never a delivery.
 */
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { MAX_HELD_PER_SUPPLIER } from '../engine/limits.ts';
import type { SupplierPurchase } from '../engine/supplying/supplier-purchases.ts';
import type { Suppliers } from '../engine/supplying/suppliers.ts';
import type { HostLookup } from '../outgoing/host-resolver.ts';
import { signatureOf } from '../outgoing/signature.ts';
import type { SecretCipher } from '../persistence/keys/secret-cipher.ts';
import { descriptorCeiling, isBeyond } from '../shared/descriptor-reserve.ts';
import { readJson } from '../shared/text-reader.ts';
import { supplierLookup } from './supplier-lookup.ts';
import { type ProgressAnswer, type PurchaseAnswer, type SupplierPort, textsIn } from './supplier-port.ts';
import type { AskStock, StockAnswer } from './supplier-stock.ts';

/** Questions beside the purchases: how some went, and what is in stock. */
const SPARE_CONNECTIONS = 64;
/** To each supplier at once: nothing waits for a connection. */
const MAX_CONNECTIONS = MAX_HELD_PER_SUPPLIER + SPARE_CONNECTIONS;
/** More than the largest order's items take as JSON. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const UNREADABLE = 'its secret cannot be decrypted with this master key: set the secret again';
const NO_BODY = Buffer.alloc(0);
/** Failures before anything was sent. In the second line: this machine had no file descriptor or port left. */
const UNREACHED = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['EMFILE', 'ENFILE', 'EADDRNOTAVAIL'],
]);

export interface HttpSupplierOptions {
  /** The table as it is at the time of a request. */
  readonly suppliers: () => Pick<Suppliers, 'get'>;
  readonly secrets: SecretCipher;
  readonly resolver: HostLookup;
  /** The limit of questions that are no purchases; a purchase says its own. */
  readonly timeoutMs: number;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

/** The supplier, and the reference in the signature. */
type Asked = Pick<SupplierPurchase, 'supplierId' | 'reference'>;

interface Answer {
  readonly status: number;
  /** Empty when the body isn't a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

type Trouble = { readonly kind: 'unreached' | 'failed'; readonly why: string } | { readonly kind: 'timeout' };

export class HttpSupplier implements SupplierPort {
  readonly #options: HttpSupplierOptions;
  readonly #agent: Agent;

  constructor(options: HttpSupplierOptions) {
    this.#options = options;
    this.#agent = new Agent({
      connections: MAX_CONNECTIONS,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: connectorTo(options.resolver),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async purchase(purchase: SupplierPurchase, withinMs: number): Promise<PurchaseAnswer> {
    const { reference, sku, quantity, recipientUsername } = purchase;
    const recipient = recipientUsername === null ? {} : { recipient: { username: recipientUsername } };
    const body = Buffer.from(JSON.stringify({ reference, sku, quantity, ...recipient }));
    const answer = await this.#ask(purchase, 'POST', '/purchases', body, withinMs);
    if ('kind' in answer) return answer;
    const { status } = answer.body;
    if (answer.status === 202 && status === 'pending') return { kind: 'pending' };
    if (answer.status === 409 && status === 'out_of_stock') return { kind: 'out_of_stock' };
    const items = deliveredItems(answer);
    return items === undefined
      ? { kind: 'failed', why: `HTTP ${answer.status} with a body that is not in the protocol` }
      : { kind: 'delivered', items };
  }

  async progress(purchase: SupplierPurchase): Promise<ProgressAnswer> {
    const answer = await this.#ask(purchase, 'GET', `/purchases/${purchase.reference}`);
    if ('kind' in answer) return { kind: 'silent', why: 'why' in answer ? answer.why : 'no answer in time' };
    if (answer.status === 404) return { kind: 'unknown' };
    if (answer.status === 202) return { kind: 'pending' };
    if (answer.status === 200 && answer.body.status === 'failed') return { kind: 'failed' };
    const items = deliveredItems(answer);
    return items === undefined
      ? { kind: 'silent', why: `HTTP ${answer.status} with a body that is not in the protocol` }
      : { kind: 'delivered', items };
  }

  readonly askStock: AskStock = async ({ supplierId, sku }) => {
    const asked = { supplierId, reference: sku };
    const answer = await this.#ask(asked, 'GET', `/stock?sku=${encodeURIComponent(sku)}`);
    if ('kind' in answer || answer.status !== 200) return undefined;
    const { available } = answer.body;
    return available === 'unlimited' || (Number.isSafeInteger(available) && Number(available) >= 0)
      ? (available as StockAnswer)
      : undefined;
  };

  /** Aborts all requests. For tests: in a node they end with the thread. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #ask(
    { supplierId, reference }: Asked,
    method: 'GET' | 'POST',
    path: string,
    body = NO_BODY,
    withinMs = this.#options.timeoutMs,
  ): Promise<Answer | Trouble> {
    const supplier = this.#options.suppliers().get(supplierId);
    if (supplier === undefined) return { kind: 'unreached', why: `no supplier ${supplierId}` };
    const secret = this.#options.secrets.open(supplier.profile.sealedSecret);
    if (secret === undefined) return { kind: 'unreached', why: UNREADABLE };
    const signal = AbortSignal.timeout(withinMs);
    try {
      const response = await inTime(
        signal,
        request(supplier.profile.url + path, {
          dispatcher: this.#agent,
          method,
          headers: this.#headers(secret, reference, body),
          body: method === 'POST' ? body : null,
          signal,
        }),
      );
      return { status: response.statusCode, body: await readAnswer(response.body) };
    } catch (error) {
      return signal.aborted ? { kind: 'timeout' } : troubleOf(error);
    }
  }

  #headers(secret: string, reference: string, body: Buffer): Record<string, string> {
    return {
      ...(body.length === 0 ? {} : { 'Content-Type': 'application/json', 'Idempotency-Key': reference }),
      'X-Service-Signature': signatureOf(secret, this.#options.clock(), reference, body),
    };
  }
}

/** Without a time-out of its own: each request has one deadline for all of it. */
function connectorTo(resolver: HostLookup): buildConnector.connector {
  const connect = buildConnector({ timeout: 0, lookup: supplierLookup(resolver) });
  const ceiling = descriptorCeiling();
  return (options, callback) =>
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error !== null) return callback(error, null);
      if (!isBeyond(ceiling, socket)) return callback(null, socket);
      socket.destroy();
      callback(Object.assign(new Error('too few file descriptors are left'), { code: 'EMFILE' }), null);
    });
}

/** undici ignores the signal while it connects: the wait ends here, and nothing is sent afterwards. */
function inTime<Value>(signal: AbortSignal, value: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    value.then(resolve, reject);
  });
}

async function readAnswer(body: Dispatcher.ResponseData['body']): Promise<Answer['body']> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_ANSWER_BYTES) throw new Error('an answer that is too long');
    chunks.push(chunk);
  }
  try {
    const value = readJson(Buffer.concat(chunks));
    return typeof value === 'object' && value !== null ? (value as Answer['body']) : {};
  } catch {
    return {};
  }
}

function deliveredItems({ status, body }: Answer): readonly string[] | undefined {
  return status === 200 && body.status === 'delivered' ? textsIn(body.items) : undefined;
}

function troubleOf(error: unknown): Trouble {
  const { code, message } = error as { code?: unknown; message?: unknown };
  const kind = UNREACHED.has(String(code)) ? 'unreached' : 'failed';
  return { kind, why: String(code ?? message) };
}
