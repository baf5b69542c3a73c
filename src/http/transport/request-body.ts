/**
 * The body of one request, between the socket it comes from and the one consumer that wants it.
 *
 * Both transports push their chunks in here, so that what happens to a body nobody wants any more is the
 * same on both: the rest is read and dropped, up to a bound, and only then does the reply leave. Replying
 * at once and closing would be shorter, but a client that is still sending then gets a reset connection in
 * place of its reply. A body whose rest does not come in time is given up, and the reply leaves without it.
 *
 * What always holds: the consumer hears of exactly one end or one failure, and nothing after it.
 */
import type { AwaitedBody, SlowBodies } from './slow-bodies.ts';

/** How much of an unwanted body is read before the connection is given up. */
const DRAIN_LIMIT_BYTES = 1024 * 1024;

/** What a client must send in the time `SlowBodies` gives it. */
const MIN_BYTES_IN_TIME = 160 * 1024;

/** The socket's side of a body. Every call is harmless when the client has gone. */
export interface BodySource {
  pause(): void;
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

export interface BodyConsumer {
  /** The chunk is the server's memory and gone when the call returns. Nothing is pushed after `last`. */
  push(chunk: Uint8Array, last: boolean): void;
  fail(reason: 'aborted' | 'too-slow'): void;
}

export class RequestBody implements AwaitedBody {
  older: AwaitedBody | undefined;
  newer: AwaitedBody | undefined;
  sinceTick = -1;
  readonly #source: BodySource;
  readonly #slowBodies: SlowBodies;
  #consumer: BodyConsumer | undefined;
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

  /** For a consumer that decides itself how long it waits. */
  consume(consumer: BodyConsumer): void {
    this.#consumer = consumer;
  }

  /** For a consumer that wants the body in time. */
  await(consumer: BodyConsumer): void {
    this.#consumer = consumer;
    this.#slowBodies.watch(this);
  }

  push(chunk: Uint8Array, last: boolean): void {
    if (this.#over) return;
    this.#over = last;
    if (last) this.#slowBodies.forget(this);
    else if (this.sinceTick !== -1) this.#inTime(chunk.byteLength);
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
    if (this.#over) {
      this.#drained();
    } else {
      if (this.sinceTick === -1) this.#slowBodies.watch(this);
      this.#source.resume();
    }
  }

  /** As `discard`, for a consumer that did not ask for it. */
  cancel(whenDrained: () => void): void {
    const consumer = this.#consumer;
    this.discard(whenDrained);
    consumer?.fail('aborted');
  }

  keepWaiting(): void {
    this.#source.keepWaiting();
  }

  timeOut(): void {
    const consumer = this.#consumer;
    this.#over = true;
    this.#consumer = undefined;
    this.#source.closeAfterReply();
    try {
      consumer?.fail('too-slow');
      this.#drained();
    } catch (error) {
      this.#source.fault(error);
    }
  }

  /** The client has gone: what was to happen after the body's end no longer matters. */
  abort(): void {
    const consumer = this.#consumer;
    this.#over = true;
    this.#consumer = undefined;
    this.#whenDrained = undefined;
    this.#slowBodies.forget(this);
    consumer?.fail('aborted');
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
