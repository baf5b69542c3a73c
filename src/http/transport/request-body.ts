/**
 * The body of one request, between the socket it comes from and the one consumer that wants it: all of it at once, put
 * together in memory, or chunk by chunk.
 *
 * Both transports push their chunks in here, so that what happens to a body nobody wants any more is the
 * same on both: the rest is read and dropped, up to a bound, and only then does the reply leave. Replying
 * at once and closing would be shorter, but a client that is still sending then gets a reset connection in
 * place of its reply. A body whose rest does not come in time is given up, and the reply leaves without it.
 *
 * A body that comes in one chunk, as nearly all do, is not copied. Otherwise one buffer doubles up to the limit: a list
 * of chunks would let a client that sends single bytes hold a hundred times what it sent.
 *
 * Invariant: the consumer hears of exactly one end or one failure, and nothing after it.
 */
import type { AwaitedBody, SlowBodies } from './slow-bodies.ts';
import type { BodyFailure } from './transport.ts';

const FIRST_GROWTH_BYTES = 4096;

/** How much of an unwanted body is read before the connection is given up. */
const DRAIN_LIMIT_BYTES = 1024 * 1024;

/** The least that a client must send in the time that `SlowBodies` gives it. */
const MIN_BYTES_IN_TIME = 160 * 1024;

/** The socket's side of a body. Every call is harmless when the client has gone. */
export interface BodySource {
  /** Reads on; harmless when reading was never paused. */
  resume(): void;
  /** Tells the server underneath that this client may be silent a little longer. */
  keepWaiting(): void;
  /** Reads no more of a client that still sends; the connection closes when it can have read the reply. */
  giveUp(): void;
  /** The connection closes with the reply. */
  closeAfterReply(): void;
  /** Answers for a consumer that threw. */
  fault(error: unknown): void;
  /** Closes the connection now. */
  close(): void;
}

type WhenEnded = (body: Uint8Array | BodyFailure) => void;
/** The receiver of chunks, on node:http only, where a chunk is the receiver's to keep. Nothing comes after `last`. */
type OnChunk = (chunk: Uint8Array, last: boolean) => void;

export class RequestBody implements AwaitedBody {
  older: AwaitedBody | undefined;
  newer: AwaitedBody | undefined;
  sinceTick = -1;
  readonly #source: BodySource;
  readonly #slowBodies: SlowBodies;
  /** The consumer's, until it has heard of the end. */
  #whenEnded: WhenEnded | undefined;
  /** The consumer that takes chunks; undefined for one that takes the whole. */
  #onChunk: OnChunk | undefined;
  #maxBytes = 0;
  #collected: Buffer | undefined;
  #collectedBytes = 0;
  #whenDrained: (() => void) | undefined;
  #droppedBytes = 0;
  #bytesInTime = 0;
  #over = false;

  constructor(source: BodySource, slowBodies: SlowBodies) {
    this.#source = source;
    this.#slowBodies = slowBodies;
  }

  /** True when nothing more of this body will be read. */
  get over(): boolean {
    return this.#over;
  }

  /** Gives all of the body to `whenEnded` if it comes in time, or the reason why not. */
  collect(maxBytes: number, whenEnded: WhenEnded): void {
    this.#maxBytes = maxBytes;
    this.#whenEnded = whenEnded;
    this.#slowBodies.watch(this);
  }

  /** Gives chunks to `onChunk`, for as long as they take to come; `whenFailed` is called when the last can't come. */
  stream(onChunk: OnChunk, whenFailed: () => void): void {
    this.#onChunk = onChunk;
    this.#whenEnded = whenFailed;
  }

  push(chunk: Uint8Array, last: boolean): void {
    if (this.#over) return;
    this.#over = last;
    if (last) this.#slowBodies.forget(this);
    else if (this.sinceTick !== -1) this.#inTime(chunk.byteLength);
    const whenEnded = this.#whenEnded;
    if (whenEnded === undefined) {
      this.#drop(chunk.byteLength);
      return;
    }
    if (last) this.#whenEnded = undefined;
    if (this.#onChunk === undefined) this.#collect(chunk, last, whenEnded);
    else this.#onChunk(chunk, last);
  }

  /** Drops what is still to come, then calls back; the consumer hears nothing more. */
  discard(whenDrained?: () => void): void {
    this.#whenEnded = undefined;
    this.#collected = undefined;
    this.#whenDrained = whenDrained;
    if (this.#over) {
      this.#drained();
    } else {
      if (this.sinceTick === -1) this.#slowBodies.watch(this);
      this.#source.resume();
    }
  }

  /** Discards the body, and tells its consumer, which did not ask for that. */
  cancel(whenDrained: () => void): void {
    const whenEnded = this.#whenEnded;
    this.discard(whenDrained);
    whenEnded?.('aborted');
  }

  keepWaiting(): void {
    this.#source.keepWaiting();
  }

  timeOut(): void {
    const whenEnded = this.#whenEnded;
    this.#over = true;
    this.#whenEnded = undefined;
    this.#source.closeAfterReply();
    try {
      whenEnded?.('too-slow');
      this.#drained();
    } catch (error) {
      this.#source.fault(error);
    }
  }

  /** The client has gone: what was to happen after the body's end no longer matters. */
  abort(): void {
    const whenEnded = this.#whenEnded;
    this.#over = true;
    this.#whenEnded = undefined;
    this.#whenDrained = undefined;
    this.#slowBodies.forget(this);
    whenEnded?.('aborted');
  }

  #collect(chunk: Uint8Array, last: boolean, whenEnded: WhenEnded): void {
    const bytes = this.#collectedBytes + chunk.byteLength;
    if (bytes > this.#maxBytes) {
      this.discard(() => whenEnded('too-large'));
    } else if (last && this.#collected === undefined) {
      whenEnded(chunk);
    } else {
      const buffer = this.#bufferOf(bytes);
      buffer.set(chunk, this.#collectedBytes);
      this.#collectedBytes = bytes;
      if (last) whenEnded(buffer.subarray(0, bytes));
    }
  }

  /** The buffer with the bytes that were collected, with room for so many in all. */
  #bufferOf(bytes: number): Buffer {
    const before = this.#collected;
    if (before !== undefined && before.byteLength >= bytes) return before;
    const grown = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(FIRST_GROWTH_BYTES, 2 * bytes)));
    if (before !== undefined) grown.set(before.subarray(0, this.#collectedBytes));
    this.#collected = grown;
    return grown;
  }

  #inTime(bytes: number): void {
    this.#bytesInTime += bytes;
    if (this.#bytesInTime < MIN_BYTES_IN_TIME) return;
    this.#bytesInTime = 0;
    this.#slowBodies.watch(this);
  }

  #drop(bytes: number): void {
    this.#droppedBytes += bytes;
    if (!this.#over && this.#droppedBytes > DRAIN_LIMIT_BYTES) {
      this.#over = true;
      this.#slowBodies.forget(this);
      this.#source.giveUp();
    }
    if (this.#over) this.#drained();
  }

  #drained(): void {
    const whenDrained = this.#whenDrained;
    this.#whenDrained = undefined;
    whenDrained?.();
  }
}
