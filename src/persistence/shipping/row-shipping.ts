/**
 * Hands sets of rows to the log that all nodes share, as the main thread does it for a thread that writes: one part at
 * a time, in order.
 *
 * Invariant: a set counts as shipped when all its parts do, and `onShipped` says so in the order in which they came. A
 * log without room is waited for: a set is never left out, because the rows behind it may build on it. When the log
 * refuses otherwise, this node has been fenced and is about to end: nothing is shipped or said any more.
 */
import { whenRoom } from '../disk/disk-room.ts';

/** Resolves when the bytes are in the log for good. Rejects with `JournalFullError` when nothing was written. */
export type Ship = (bytes: Buffer) => Promise<void>;

interface RowSet {
  readonly id: number;
  readonly parts: readonly Uint8Array[];
}

export class RowShipping {
  readonly #ship: Ship;
  readonly #onShipped: (id: number) => void;
  /** Bounded by who hands them over: it waits for what it has handed over. */
  readonly #waiting: RowSet[] = [];
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(ship: Ship, onShipped: (id: number) => void) {
    this.#ship = ship;
    this.#onShipped = onShipped;
  }

  /** Whether something is on its way, or waits for that. */
  get isShipping(): boolean {
    return this.#waiting.length > 0;
  }

  readonly add = (id: number, parts: readonly Uint8Array[]): void => {
    this.#waiting.push({ id, parts });
    // It has been fenced when it rejects.
    this.#running ??= this.#run().catch(() => {});
  };

  /** Resolves when the set that is on its way has ended; the others are dropped. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let set = this.#waiting[0]; set !== undefined && !this.#isClosed; set = this.#waiting[0]) {
      for (const { buffer, byteOffset, length } of set.parts) {
        const part = Buffer.from(buffer, byteOffset, length);
        await whenRoom(
          () => this.#ship(part),
          () => this.#isClosed,
        );
      }
      this.#waiting.shift();
      this.#onShipped(set.id);
    }
    this.#running = undefined;
  }
}
