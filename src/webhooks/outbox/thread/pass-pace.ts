/**
 * How fast the outbox goes: as fast as it can, unless purchases want the processors that it runs on. Then events wait
 * in the journal and in the outbox, where they are durable, and go on at a slow but steady pace.
 *
 * A low priority alone is not enough. The priority decides who gets a processor, and the outbox then takes every moment
 * in which a purchase waits for the disk, and is in the way when the purchase goes on. Two things together say that it
 * is in the way: the main thread hardly rests, and the outbox's has to wait for a processor. The first alone would hold
 * deliveries back on a machine with cores to spare; the second alone, on one that is busy with deliveries only.
 */
import { closeSync, openSync, readSync } from 'node:fs';

/** Milliseconds from the end of a pass to the next. A pass is a transaction that is flushed. */
const SPACING_MS = { free: 10, heldBack: 100 } as const;
/** Attempts begun from one pass to the next: at most 1,000 a second when held back. Each may take a new connection. */
const ATTEMPTS = { free: 150, heldBack: 100 } as const;
/** Read from one pass to the next. More come up than are attempted; the others wait in the journal as well. */
export const FACTS_PER_PASS = { free: 2_000, heldBack: 200 } as const;
/** The main thread hardly rests: so much of its time it works. */
const BUSY = 0.75;
/** The main thread speaks only when something happened. */
const BELIEVED_MS = 500;
/** The outbox's waits for a processor: so much of its time. */
const WAITING = 0.05;
/** The shortest time to measure over; a shorter one says little. */
const SHORTEST_LOOK_MS = 25;
const NANOSECONDS_PER_MS = 1e6;
const MAX_TIMES_BYTES = 4_096;

export interface PassPaceOptions {
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /** How long the outbox's thread has waited for a processor so far. */
  readonly waitedMs: () => number;
}

export class PassPace {
  readonly #options: PassPaceOptions;
  #lookedAtMs: number;
  #waitedMs: number;
  #isWaiting = false;
  #mainBusyUntilMs = Number.NEGATIVE_INFINITY;
  #begun = 0;

  constructor(options: PassPaceOptions) {
    this.#options = options;
    this.#lookedAtMs = options.nowMs();
    this.#waitedMs = options.waitedMs();
  }

  /** Milliseconds from the end of a pass to the next. */
  get spacingMs(): number {
    return SPACING_MS[this.#gear];
  }

  /** Facts that a pass reads, while somebody has a webhook. */
  get facts(): number {
    return FACTS_PER_PASS[this.#gear];
  }

  /** Whether another attempt may begin before the next pass. */
  get mayBegin(): boolean {
    return this.#begun < ATTEMPTS[this.#gear];
  }

  /** The main thread says how much of its time it works, from 0 to 1. */
  mainThreadWorks(share: number): void {
    this.#mainBusyUntilMs = share >= BUSY ? this.#options.nowMs() + BELIEVED_MS : Number.NEGATIVE_INFINITY;
  }

  /** An attempt has begun. */
  begun(): void {
    this.#begun += 1;
  }

  /** A pass begins. */
  pass(): void {
    this.#begun = 0;
    const nowMs = this.#options.nowMs();
    const passedMs = nowMs - this.#lookedAtMs;
    if (passedMs < SHORTEST_LOOK_MS) return;
    const waitedMs = this.#options.waitedMs();
    this.#isWaiting = waitedMs - this.#waitedMs >= passedMs * WAITING;
    this.#waitedMs = waitedMs;
    this.#lookedAtMs = nowMs;
  }

  get #gear(): 'free' | 'heldBack' {
    return this.#isWaiting && this.#options.nowMs() < this.#mainBusyUntilMs ? 'heldBack' : 'free';
  }
}

/** How long a thread could have run and did not, because others had the processors. Linux only; elsewhere 0. */
export class ProcessorWait {
  /** The file of the thread that makes this object: opened once, and read anew each time. */
  readonly #file = openIfThere('/proc/thread-self/schedstat');
  readonly #text = Buffer.alloc(MAX_TIMES_BYTES);

  /** Milliseconds since the thread began. */
  read(): number {
    if (this.#file === undefined) return 0;
    const length = readSync(this.#file, this.#text, 0, MAX_TIMES_BYTES, 0);
    // Time on a processor, time waiting for one, and how often it had one.
    const [, waitedNs = 0] = this.#text.toString('latin1', 0, length).split(' ');
    return Number(waitedNs) / NANOSECONDS_PER_MS;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}
