/**
 * How fast the outbox goes: as fast as it can, unless purchases want the processors that it runs on. Then events wait
 * in the journal and in the outbox, where they are durable, and go on at a slow but steady pace.
 *
 * A low priority alone is not enough. It decides who gets a processor, and the outbox then takes every moment in which
 * a purchase waits for the disk, and is in the way when the purchase goes on. Two things together say that it is in
 * the way: the main thread hardly rests, and the outbox's has to wait for a processor. The first alone would hold
 * deliveries back on a machine with cores to spare; the second alone, on one that is busy with deliveries only.
 */

/** From the end of a turn to the next. A turn is a transaction that is flushed. */
const SPACING_MS = { free: 10, heldBack: 100 } as const;
/** Attempts begun from one turn to the next: at most 1,000 a second when held back. Each may take a new connection. */
const ATTEMPTS = { free: 150, heldBack: 100 } as const;
/**
 * Of them, for accounts whose latest attempt failed: 2,000 a second or so. Each of them touches rows of its own.
 */
const FAILING_ATTEMPTS = 32;
/** Read from one turn to the next. More come up than are attempted; the others wait in the journal as well. */
export const FACTS_PER_TURN = { free: 2_000, heldBack: 200 } as const;
/** The main thread hardly rests: so much of its time it works. */
const BUSY = 0.75;
/** The main thread speaks only when something happened. */
const BELIEVED_MS = 500;
/** The outbox's waits for a processor: so much of its time. */
const WAITING = 0.05;
/** What is measured over a shorter time says little. */
const SHORTEST_LOOK_MS = 25;

export interface TurnPaceOptions {
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /** How long the outbox's thread has waited for a processor so far. */
  readonly waitedMs: () => number;
}

export class TurnPace {
  readonly #options: TurnPaceOptions;
  #lookedAtMs: number;
  #waitedMs: number;
  #isWaiting = false;
  #mainBusyUntilMs = Number.NEGATIVE_INFINITY;
  #begun = 0;
  #begunFailing = 0;

  constructor(options: TurnPaceOptions) {
    this.#options = options;
    this.#lookedAtMs = options.nowMs();
    this.#waitedMs = options.waitedMs();
  }

  /** From the end of a turn to the next. */
  get spacingMs(): number {
    return SPACING_MS[this.#gear];
  }

  /** Facts that a turn reads, while somebody has a webhook. */
  get facts(): number {
    return FACTS_PER_TURN[this.#gear];
  }

  /** Whether another attempt may begin before the next turn. */
  get mayBegin(): boolean {
    return this.#begun < ATTEMPTS[this.#gear];
  }

  /** The same for an account whose latest attempt failed. */
  get mayBeginFailing(): boolean {
    return this.mayBegin && this.#begunFailing < FAILING_ATTEMPTS;
  }

  /** The main thread says how much of its time it works, from 0 to 1. */
  mainThreadWorks(share: number): void {
    this.#mainBusyUntilMs = share >= BUSY ? this.#options.nowMs() + BELIEVED_MS : Number.NEGATIVE_INFINITY;
  }

  /** An attempt has begun; `isFailing` as of its account. */
  begun(isFailing: boolean): void {
    this.#begun += 1;
    if (isFailing) this.#begunFailing += 1;
  }

  /** A turn begins. */
  turn(): void {
    this.#begun = 0;
    this.#begunFailing = 0;
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
