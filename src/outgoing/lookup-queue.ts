/**
 * Starts look-ups in order of arrival, as many at a time as name servers can take.
 *
 * Few start in the same moment: the socket of a name server holds about 270 questions and drops the rest, and a dropped
 * question costs half a second. Look-ups in progress for longer don't count for that. When all places are taken, the
 * oldest look-up gives way to one that waits, after `PATIENCE_MS` at the earliest: so many hosts with silent name servers
 * delay the others by about a second. Rejected: refusing at once when all places are taken, which locked out everyone
 * until such look-ups had failed.
 */

/** Begins when it gets a place, and must leave the queue when it has ended; not while it begins. */
export interface QueuedLookup {
  begin(): void;
  /** Another look-up has its place from now on. */
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
 * A resolver has two queues, and each look-up asks two questions: this many fit into a name server's socket. Several
 * resolvers at once may exceed it; then some questions are repeated.
 */
const MAX_FRESH = 64;
const FRESH_MS = 50;
export const PATIENCE_MS = 1_000;

export class LookupQueue {
  readonly #options: LookupQueueOptions;
  /** In order of arrival, like the others. */
  readonly #waiting = new Set<QueuedLookup>();
  /** When each began. */
  readonly #underWay = new Map<QueuedLookup, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LookupQueueOptions) {
    this.#options = options;
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** Begins the look-up now or later. False when too many wait. */
  enter(lookup: QueuedLookup): boolean {
    if (this.#waiting.size >= this.#options.maxWaiting) return false;
    this.#waiting.add(lookup);
    this.#serve();
    return true;
  }

  /** Waiting look-ups never begin. */
  forgetWaiting(): void {
    this.#waiting.clear();
    clearTimeout(this.#timer);
  }

  /** The look-up has ended, or gives up waiting. */
  leave(lookup: QueuedLookup): void {
    if (!this.#waiting.delete(lookup) && this.#underWay.delete(lookup)) this.#serve();
  }

  /** Begins all that may begin now, and sets the timer for the next. */
  #serve(): void {
    clearTimeout(this.#timer);
    const nowMs = this.#options.nowMs();
    for (const lookup of this.#waiting) {
      const waitMs = Math.max(this.#untilCalm(nowMs), this.#untilPlace(nowMs));
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#serve(), Math.ceil(waitMs));
        return;
      }
      this.#waiting.delete(lookup);
      this.#underWay.set(lookup, nowMs);
      lookup.begin();
    }
  }

  /** Milliseconds until fewer than `MAX_FRESH` of those under way began in the last `FRESH_MS`. */
  #untilCalm(nowMs: number): number {
    const beganAtMs = [...this.#underWay.values()].at(-MAX_FRESH);
    return beganAtMs === undefined ? 0 : Math.max(0, beganAtMs + FRESH_MS - nowMs);
  }

  /** Milliseconds until there is a place; the oldest look-up gives way if necessary and allowed. */
  #untilPlace(nowMs: number): number {
    const [oldest] = this.#underWay;
    if (oldest === undefined || this.#underWay.size < this.#options.places) return 0;
    const [lookup, beganAtMs] = oldest;
    const leftMs = beganAtMs + PATIENCE_MS - nowMs;
    if (leftMs > 0) return leftMs;
    this.#underWay.delete(lookup);
    lookup.giveWay();
    return 0;
  }
}
