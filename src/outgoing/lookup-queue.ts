/**
 * Lets look-ups begin in the order in which they came, so many at a time that no answer is lost and nobody waits long.
 *
 * Few begin in the same moment: name servers' sockets hold some 270 questions by default, drop the rest, and a
 * question that was dropped costs half a second. Whether those that take longer are many doesn't matter for that, so
 * these don't hold up others. When all places are taken, the look-up that has had its place for the longest time
 * gives way to one that waits, but no sooner than after `PATIENCE_MS`: so a crowd of hosts whose name servers are
 * silent delays the others by about a second, and only when there are as many as places. Rejected: refusing at once
 * when all places are taken, which let such a crowd lock out everyone until its last look-up had failed.
 */

/** Something that begins when it has its place, and leaves the queue when it has ended. */
export interface QueuedLookup {
  begin(): void;
  /** Its place is another's from now on. */
  giveWay(): void;
}

export interface LookupQueueOptions {
  /** Look-ups under way; each may take two sockets. */
  readonly places: number;
  readonly maxWaiting: number;
  /** A monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
}

/**
 * Of the two queues of a resolver, with two questions for each look-up, they fit into a name server's socket. Those of
 * several resolvers at once may not; then some are asked again.
 */
const MAX_FRESH = 64;
const FRESH_MS = 50;
export const PATIENCE_MS = 1_000;

export class LookupQueue {
  readonly #options: LookupQueueOptions;
  /** All of these in the order of their coming. */
  readonly #waiting = new Set<QueuedLookup>();
  /** When each began. */
  readonly #underWay = new Map<QueuedLookup, number>();
  /** Of those under way the ones that began just now. */
  readonly #fresh = new Map<QueuedLookup, number>();
  #timer: NodeJS.Timeout | undefined;
  #isServing = false;

  constructor(options: LookupQueueOptions) {
    this.#options = options;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** It begins now or later. False when too many wait. */
  enter(lookup: QueuedLookup): boolean {
    if (this.#waiting.size >= this.#options.maxWaiting) return false;
    this.#waiting.add(lookup);
    this.#serve();
    return true;
  }

  /** Nothing of what waits will begin. */
  forgetWaiting(): void {
    this.#waiting.clear();
    clearTimeout(this.#timer);
  }

  /** It has ended, or no longer wants to begin. */
  leave(lookup: QueuedLookup): void {
    this.#fresh.delete(lookup);
    if (!this.#waiting.delete(lookup) && this.#underWay.delete(lookup)) this.#serve();
  }

  /** Look-ups may end while they begin, and leave: what that gives is served in the same round. */
  #serve(): void {
    if (this.#isServing) return;
    this.#isServing = true;
    clearTimeout(this.#timer);
    try {
      const waitMs = this.#beginAll();
      if (waitMs !== undefined) this.#timer = setTimeout(() => this.#serve(), Math.ceil(waitMs));
    } finally {
      this.#isServing = false;
    }
  }

  /** All that may begin now; milliseconds until the next may, unless all have begun. */
  #beginAll(): number | undefined {
    const nowMs = this.#options.nowMs();
    for (const lookup of this.#waiting) {
      const waitMs = Math.max(this.#untilCalm(nowMs), this.#untilPlace(nowMs));
      if (waitMs > 0) return waitMs;
      this.#waiting.delete(lookup);
      this.#underWay.set(lookup, nowMs);
      this.#fresh.set(lookup, nowMs);
      lookup.begin();
    }
    return undefined;
  }

  #untilCalm(nowMs: number): number {
    for (const [lookup, beganAtMs] of this.#fresh) {
      const leftMs = beganAtMs + FRESH_MS - nowMs;
      if (leftMs > 0) return this.#fresh.size < MAX_FRESH ? 0 : leftMs;
      this.#fresh.delete(lookup);
    }
    return 0;
  }

  /** Takes the place of another, if it must and may. */
  #untilPlace(nowMs: number): number {
    const [oldest] = this.#underWay;
    if (oldest === undefined || this.#underWay.size < this.#options.places) return 0;
    const [lookup, beganAtMs] = oldest;
    const leftMs = beganAtMs + PATIENCE_MS - nowMs;
    if (leftMs > 0) return leftMs;
    this.leave(lookup);
    lookup.giveWay();
    return 0;
  }
}
