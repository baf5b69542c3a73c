/**
 * A request body as it arrives, for bodies of any size.
 *
 * While the consumer is busy chunks queue up to a mark, then the socket is paused: what the queue holds is
 * that mark and what the server underneath still reads. For node:http that is a chunk. uWebSockets.js goes on
 * within the same turn for as long as each read fills its 512 KiB, which a sender on the same machine can keep up
 * for hundreds of MiB: large bodies are for a listener on node:http. A node stream would do the same with more
 * copies of the state and no idle limit.
 */
import { BodyBlocks } from './body-blocks.ts';
import type { BodyConsumer, BodySource, RequestBody } from './request-body.ts';
import { BodyAbortedError } from './transport.ts';

const PAUSE_AT_BYTES = 256 * 1024;

/**
 * uWebSockets.js closes a connection that sent nothing for 8 s at the least, unless it is told to wait. Often, since
 * its clock goes on while our timer is late.
 */
const KEEP_WAITING_EVERY_MS = 3_000;

interface Waiting {
  readonly resolve: (result: IteratorResult<Uint8Array, undefined>) => void;
  readonly reject: (error: Error) => void;
}

export class BodyStream implements BodyConsumer, AsyncIterableIterator<Uint8Array, undefined> {
  readonly #body: RequestBody;
  readonly #source: BodySource;
  readonly #idleTimeoutMs: number;
  readonly #blocks = new BodyBlocks();
  #paused = false;
  #ended = false;
  #error: BodyAbortedError | undefined;
  #waiting: Waiting | undefined;
  #heardAtMs = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(body: RequestBody, source: BodySource, idleTimeoutMs: number) {
    this.#body = body;
    this.#source = source;
    this.#idleTimeoutMs = idleTimeoutMs;
    this.#watchIdle(idleTimeoutMs);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  push(chunk: Uint8Array, last: boolean): void {
    this.#heardAtMs = performance.now();
    if (chunk.byteLength > 0) this.#deliver(chunk);
    if (last) this.#end();
  }

  fail(): void {
    this.#failWith(new BodyAbortedError());
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#waiting !== undefined) throw new Error('a body is read by one reader, one chunk at a time');
    const bytes = this.#blocks.take();
    if (bytes !== undefined) {
      if (this.#blocks.bytes === 0) this.#resume();
      return { done: false, value: bytes };
    }
    if (this.#error !== undefined) throw this.#error;
    if (this.#ended) return { done: true, value: undefined };
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** The consumer wants no more: what still comes is dropped. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    const unread = !this.#ended && this.#error === undefined;
    this.#blocks.clear();
    this.#end();
    if (unread) this.#body.discard();
    return { done: true, value: undefined };
  }

  #deliver(chunk: Uint8Array): void {
    this.#blocks.add(chunk);
    const bytes = this.#waiting === undefined ? undefined : this.#blocks.take();
    if (bytes !== undefined) {
      this.#waiting?.resolve({ done: false, value: bytes });
      this.#waiting = undefined;
    }
    if (this.#blocks.bytes >= PAUSE_AT_BYTES && !this.#paused) {
      this.#paused = true;
      this.#source.pause();
    }
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#heardAtMs = performance.now();
    this.#source.resume();
  }

  #end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    // Left paused, the socket would be deaf to the next request.
    this.#resume();
    this.#waiting?.resolve({ done: true, value: undefined });
    this.#waiting = undefined;
  }

  #failWith(error: BodyAbortedError): void {
    if (this.#ended || this.#error !== undefined) return;
    this.#error = error;
    this.#blocks.clear();
    clearTimeout(this.#timer);
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }

  #watchIdle(delayMs: number): void {
    this.#timer = setTimeout(() => this.#checkIdle(), Math.min(delayMs, KEEP_WAITING_EVERY_MS));
  }

  #checkIdle(): void {
    const idleMs = this.#paused ? 0 : performance.now() - this.#heardAtMs;
    // A timer may fire a fraction of a millisecond early.
    if (idleMs >= this.#idleTimeoutMs - 1) {
      this.#failWith(new BodyAbortedError('the client stopped sending its request body'));
      this.#source.close();
      return;
    }
    if (!this.#paused) this.#source.keepWaiting();
    this.#watchIdle(this.#idleTimeoutMs - idleMs);
  }
}
