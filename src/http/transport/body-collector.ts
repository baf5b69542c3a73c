/**
 * Puts a request body together in memory and hands it over once.
 *
 * A body that comes in one chunk, as nearly all do, is not copied. Otherwise one buffer doubles up to the
 * limit: a list of chunks would let a client that sends single bytes hold a hundred times what it sent.
 */
import type { BodyConsumer, RequestBody } from './request-body.ts';
import type { BodyFailure } from './transport.ts';

const FIRST_GROWTH_BYTES = 4096;

export class BodyCollector implements BodyConsumer {
  readonly #body: RequestBody;
  readonly #maxBytes: number;
  readonly #done: (body: Uint8Array | BodyFailure) => void;
  #buffer: Buffer | undefined;
  #length = 0;

  constructor(body: RequestBody, maxBytes: number, done: (body: Uint8Array | BodyFailure) => void) {
    this.#body = body;
    this.#maxBytes = maxBytes;
    this.#done = done;
  }

  push(chunk: Uint8Array, last: boolean): void {
    if (this.#length + chunk.byteLength > this.#maxBytes) {
      this.#buffer = undefined;
      this.#body.discard(() => this.#done('too-large'));
      return;
    }
    if (last && this.#buffer === undefined) {
      this.#done(chunk);
      return;
    }
    this.#append(chunk);
    if (last) this.#done(this.#buffer?.subarray(0, this.#length) ?? new Uint8Array(0));
  }

  fail(reason: 'aborted' | 'too-slow'): void {
    this.#buffer = undefined;
    this.#done(reason);
  }

  #append(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    let buffer = this.#buffer;
    if (buffer === undefined || buffer.byteLength < length) {
      const grown = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(FIRST_GROWTH_BYTES, 2 * length)));
      if (buffer !== undefined) grown.set(buffer.subarray(0, this.#length));
      buffer = grown;
      this.#buffer = grown;
    }
    buffer.set(chunk, this.#length);
    this.#length = length;
  }
}
