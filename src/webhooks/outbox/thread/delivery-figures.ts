/**
 * What the metrics say of deliveries since the process started: events, attempts by their outcome, and how long
 * they took. Counted where attempts end, in the outbox's thread, and sent to the main thread as a whole.
 */
import type { DeliveryErrorCode, DeliveryResult } from '../../delivery/delivery-result.ts';
import { isDelivered } from '../../delivery/delivery-result.ts';

/** `refused`: an answer that is no 2xx. */
export type Outcome = 'delivered' | 'refused' | Exclude<DeliveryErrorCode, 'busy' | 'closed' | 'outdated'>;

/** Counts of values up to each bound, and of all of them. */
export interface HistogramFigures {
  readonly boundsMs: readonly number[];
  /** One for each bound, the values up to it; cumulative. */
  readonly counts: readonly number[];
  readonly count: number;
  readonly sumMs: number;
}

export interface DeliveryFigures {
  /** Events that came up. */
  readonly derived: number;
  readonly attempts: Readonly<Record<Outcome, number>>;
  readonly attemptDuration: HistogramFigures;
  /** From the fact to the end of the attempt that delivered its event; without events that were replayed. */
  readonly deliveryDelay: HistogramFigures;
}

const ATTEMPT_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];
/** Up to the end of the default schedule. */
const DELAY_BOUNDS_MS = [
  25, 50, 100, 250, 500, 1_000, 2_000, 5_000, 10_000, 60_000, 120_000, 600_000, 3_600_000, 25_200_000,
];

const NO_ATTEMPTS: Readonly<Record<Outcome, number>> = {
  delivered: 0,
  refused: 0,
  destination: 0,
  connect: 0,
  tls: 0,
  answer: 0,
  timeout: 0,
  secret: 0,
  worker: 0,
  replaced: 0,
};

export class DeliveryCounters {
  readonly #attempts = { ...NO_ATTEMPTS };
  readonly #attemptDuration = new DurationHistogram(ATTEMPT_BOUNDS_MS);
  readonly #deliveryDelay = new DurationHistogram(DELAY_BOUNDS_MS);
  #derived = 0;

  get figures(): DeliveryFigures {
    return {
      derived: this.#derived,
      attempts: { ...this.#attempts },
      attemptDuration: this.#attemptDuration.figures,
      deliveryDelay: this.#deliveryDelay.figures,
    };
  }

  cameUp(events: number): void {
    this.#derived += events;
  }

  /** `delayMs` is since the fact; undefined for an event that was replayed. Attempts without a place don't count. */
  attempted(result: DeliveryResult, delayMs: number | undefined): void {
    const outcome = outcomeOf(result);
    if (outcome === undefined) return;
    this.#attempts[outcome] += 1;
    this.#attemptDuration.add(result.durationMs);
    if (outcome === 'delivered' && delayMs !== undefined) this.#deliveryDelay.add(Math.max(0, delayMs));
  }
}

class DurationHistogram {
  readonly #boundsMs: readonly number[];
  readonly #counts: number[];
  #count = 0;
  #sumMs = 0;

  constructor(boundsMs: readonly number[]) {
    this.#boundsMs = boundsMs;
    this.#counts = boundsMs.map(() => 0);
  }

  get figures(): HistogramFigures {
    let below = 0;
    const counts = this.#counts.map((count) => {
      below += count;
      return below;
    });
    return { boundsMs: this.#boundsMs, counts, count: this.#count, sumMs: this.#sumMs };
  }

  add(valueMs: number): void {
    const index = this.#boundsMs.findIndex((boundMs) => valueMs <= boundMs);
    if (index >= 0) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#count += 1;
    this.#sumMs += valueMs;
  }
}

function outcomeOf(result: DeliveryResult): Outcome | undefined {
  if (isDelivered(result)) return 'delivered';
  const code = result.error?.code;
  if (code === 'busy' || code === 'closed' || code === 'outdated') return undefined;
  return code ?? 'refused';
}
