/**
 * The bytes of a POST /orders, built once and then patched in place: the API key, the digits that end the
 * Idempotency-Key, and the body all keep their length, so nothing is allocated or encoded per request.
 *
 * Invariant: a buffer is patched only after the answer to its last request has arrived, so the kernel has taken every
 * byte of it. Bodies of different products are padded with spaces, which JSON allows.
 */
import type { LoadPlan, PlannedProduct } from './plan.ts';

const keyDigits = 10;
const digitZero = 48;

export class PurchaseRequests {
  readonly #head: Buffer;
  readonly #keyPrefix: string;
  readonly #apiKeys: Buffer;
  readonly #apiKeyBytes: number;
  readonly #apiKeyAt: number;
  readonly #lastDigitAt: number;
  readonly #bodies: Buffer;
  readonly #bodyBytes: number;

  constructor(plan: Pick<LoadPlan, 'host' | 'port' | 'path' | 'keyPrefix' | 'apiKeys' | 'products'>) {
    this.#keyPrefix = plan.keyPrefix;
    this.#apiKeyBytes = plan.apiKeys[0]?.length ?? 0;
    if (plan.apiKeys.some((key) => Buffer.byteLength(key) !== this.#apiKeyBytes)) {
      throw new Error('API keys of different lengths cannot be patched into one request');
    }
    this.#apiKeys = Buffer.from(plan.apiKeys.join(''));
    const bodies = plan.products.map(bodyOf);
    this.#bodyBytes = Math.max(...bodies.map((body) => body.length));
    this.#bodies = Buffer.from(bodies.map((body) => body.padEnd(this.#bodyBytes)).join(''));

    const start = `POST ${plan.path} HTTP/1.1\r\nHost: ${plan.host}:${plan.port}\r\nX-API-Key: `;
    const key = `${'x'.repeat(this.#apiKeyBytes)}\r\nIdempotency-Key: ${plan.keyPrefix}${'0'.repeat(keyDigits)}`;
    const end = `\r\nContent-Type: application/json\r\nContent-Length: ${this.#bodyBytes}\r\n\r\n`;
    this.#head = Buffer.from(start + key + end);
    this.#apiKeyAt = start.length;
    this.#lastDigitAt = start.length + key.length - 1;
  }

  /** A buffer of its own for one squad of connections. */
  create(): Buffer {
    return Buffer.concat([this.#head, Buffer.alloc(this.#bodyBytes)]);
  }

  /** The Idempotency-Key with this number. */
  keyOf(keyNumber: number): string {
    return this.#keyPrefix + String(keyNumber).padStart(keyDigits, '0');
  }

  /** Makes `target` the request of `account` for `product` with key number `keyNumber` (below 10^10). */
  patch(target: Buffer, account: number, product: number, keyNumber: number): void {
    const apiKeyFrom = account * this.#apiKeyBytes;
    this.#apiKeys.copy(target, this.#apiKeyAt, apiKeyFrom, apiKeyFrom + this.#apiKeyBytes);
    let rest = keyNumber;
    for (let at = this.#lastDigitAt; at > this.#lastDigitAt - keyDigits; at -= 1) {
      const shorter = Math.floor(rest / 10);
      target[at] = digitZero + (rest - shorter * 10);
      rest = shorter;
    }
    const bodyFrom = product * this.#bodyBytes;
    this.#bodies.copy(target, this.#head.length, bodyFrom, bodyFrom + this.#bodyBytes);
  }
}

function bodyOf(product: PlannedProduct): string {
  return JSON.stringify({
    productId: product.productId,
    quantity: 1,
    expectedPriceUsdt: product.priceUsdt,
  });
}
