/**
 * One reader of the feed: a body that lasts until its reader goes or may not read any more, the node stops, or the
 * journal can't be read.
 *
 * The follower is a `ReplyBody` of the transport. A blank line comes first, so that the reply begins although nothing
 * has happened yet, and then whenever nothing has for a while, so that both sides notice a dead connection.
 */
import type { FeedChunk } from './feed-reader.ts';

export const HEARTBEAT_MS = 15_000;
/** The time after which a reader that takes nothing loses its connection, and comes back for the rest. */
const READER_IDLE_TIMEOUT_MS = 60_000;
/** Between two reads when all has been told: under load one chunk then takes up what many groups have left. */
const PACE_MS = 20;
const BLANK_LINE = new Uint8Array([0x0a]);

export interface FeedFollowerOptions {
  readonly after: number;
  /** How far the journal is durable. */
  readonly position: number;
  readonly heartbeatMs: number | undefined;
  /** Whether the reader may still be told anything. */
  readonly mayRead: () => boolean;
  readonly read: (through: number) => Promise<FeedChunk>;
  readonly onClose: () => void;
}

export class FeedFollower {
  readonly lengthBytes = undefined;
  readonly idleTimeoutMs = READER_IDLE_TIMEOUT_MS;
  readonly #options: FeedFollowerOptions;
  #position: number;
  /** The last sequence told. */
  #last: number;
  #isGreeted = false;
  /** Whether the last chunk had all there was. */
  #hasAll = false;
  #isEnding = false;
  #failure: Error | undefined;
  #lastReadMs = 0;
  #wake: () => void = () => {};

  constructor(options: FeedFollowerOptions) {
    this.#options = options;
    this.#position = options.position;
    this.#last = options.after;
  }

  advance(position: number): void {
    this.#position = position;
    this.#wake();
  }

  /** The reader has gone, or the node stops. */
  abandon(): void {
    this.#isEnding = true;
    this.#wake();
  }

  /** Ends it when the reader may not read any more. */
  checkReader(): void {
    if (!this.#options.mayRead()) this.abandon();
  }

  fail(error: Error): void {
    this.#failure = error;
    this.#wake();
  }

  /** Lines, or a blank one; undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    if (!this.#isGreeted) {
      this.#isGreeted = true;
      return BLANK_LINE;
    }
    const askedMs = performance.now();
    for (;;) {
      const hasLines = await this.#waitForLines();
      this.checkReader();
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isEnding) return undefined;
      if (!hasLines) return BLANK_LINE;
      const through = this.#position;
      const { bytes, last } = await this.#options.read(through);
      this.checkReader();
      if (this.#isEnding) return undefined;
      this.#last = last;
      this.#hasAll = last === through;
      this.#lastReadMs = performance.now();
      if (bytes.length > 0) return bytes;
      // All was of types that the reader doesn't want.
      if (this.#lastReadMs - askedMs >= this.#heartbeatMs) return BLANK_LINE;
    }
  }

  async close(): Promise<void> {
    this.#options.onClose();
  }

  get #heartbeatMs(): number {
    return this.#options.heartbeatMs ?? HEARTBEAT_MS;
  }

  /** False when there is nothing to tell and it is time to say so. */
  async #waitForLines(): Promise<boolean> {
    if (this.#last >= this.#position) await this.#sleep(this.#heartbeatMs);
    if (this.#last >= this.#position) return false;
    const restMs = this.#lastReadMs + PACE_MS - performance.now();
    if (this.#hasAll && restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    return true;
  }

  /** Until something happens. */
  #sleep(mostMs: number): Promise<void> {
    if (this.#isEnding || this.#failure !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, mostMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
