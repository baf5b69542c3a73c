/**
 * Figures of deliveries since the process started, for the metrics: events, attempts by their outcome, and how long
 * they took. Counted where attempts end, in the outbox's thread, and sent to the main thread as a whole.
 */
import { Histogram, type HistogramFigures } from '../../../metrics/histogram.ts';
import type { DeliveryErrorCode, DeliveryResult } from '../../delivery/delivery-result.ts';
import { isDelivered } from '../../delivery/delivery-result.ts';

/** `refused`: an answer that is no 2xx. */
export type Outcome = 'delivered' | 'refused' | Exclude<DeliveryErrorCode, 'busy' | 'closed' | 'outdated'>;

/** Durations are in milliseconds. */
export interface DeliveryFigures {
  /** Events that came up. */
  readonly derived: number;
  readonly attempts: Readonly<Record<Outcome, number>>;
  readonly attemptDuration: HistogramFigures;
  /** The time from the fact to the end of the attempt that delivered its event; without events that were replayed. */
  readonly deliveryDelay: HistogramFigures;
}

const ATTEMPT_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];
/** Bounds up to the end of the default schedule. */
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
  readonly #attemptDuration = new Histogram(ATTEMPT_BOUNDS_MS);
  readonly #deliveryDelay = new Histogram(DELAY_BOUNDS_MS);
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

function outcomeOf(result: DeliveryResult): Outcome | undefined {
  if (isDelivered(result)) return 'delivered';
  const code = result.error?.code;
  if (code === 'busy' || code === 'closed' || code === 'outdated') return undefined;
  return code ?? 'refused';
}
