/**
 * The body of one request, between the socket it comes from and the one consumer that wants it.
 *
 * Both transports push their chunks in here, so that what happens to a body nobody wants any more is the
 * same on both: the rest is read and dropped, up to a bound, and only then does the reply leave. Replying
 * at once and closing would be shorter, but a client that is still sending then gets a reset connection in
 * place of its reply.
 *
 * What always holds: the consumer hears of exactly one end or one failure, and nothing after it.
 */

/** How much of an unwanted body is read before the connection is given up. */
const DRAIN_LIMIT_BYTES = 1024 * 1024;

/** The socket's side of a body. Every call is harmless when the client has gone. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** Tells the server underneath that this client may be silent a little longer. */
  keepWaiting(): void;
  /** Reads no more; the connection closes after the reply. */
  giveUp(): void;
  /** Closes the connection now. */
  close(): void;
}

export interface BodyConsumer {
  /** The chunk is the server's memory and gone when the call returns. Nothing is pushed after `last`. */
  push(chunk: Uint8Array, last: boolean): void;
  fail(): void;
}

export class RequestBody {
  readonly #source: BodySource;
  #consumer: BodyConsumer | undefined;
  #whenDrained: (() => void) | undefined;
  #droppedBytes = 0;
  #over = false;

  constructor(source: BodySource) {
    this.#source = source;
  }

  /** True when nothing more of this body will be read. */
  get over(): boolean {
    return this.#over;
  }

  consume(consumer: BodyConsumer): void {
    this.#consumer = consumer;
  }

  push(chunk: Uint8Array, last: boolean): void {
    if (this.#over) return;
    this.#over = last;
    const consumer = this.#consumer;
    if (consumer === undefined) {
      this.#drop(chunk.byteLength);
    } else {
      if (last) this.#consumer = undefined;
      consumer.push(chunk, last);
    }
  }

  /** Drops what is still to come, then calls back; the consumer hears nothing more. */
  discard(whenDrained?: () => void): void {
    this.#consumer = undefined;
    this.#whenDrained = whenDrained;
    if (this.#over) this.#drained();
    else this.#source.resume();
  }

  /** As `discard`, for a consumer that did not ask for it. */
  cancel(whenDrained: () => void): void {
    const consumer = this.#consumer;
    this.discard(whenDrained);
    consumer?.fail();
  }

  /** The client has gone: what was to happen after the body's end no longer matters. */
  abort(): void {
    const consumer = this.#consumer;
    this.#over = true;
    this.#consumer = undefined;
    this.#whenDrained = undefined;
    consumer?.fail();
  }

  #drop(bytes: number): void {
    this.#droppedBytes += bytes;
    if (!this.#over && this.#droppedBytes > DRAIN_LIMIT_BYTES) {
      this.#over = true;
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
