/** How many events wait, and what became of the others: kept with every turn, so that nobody counts rows. */
import type { OutboxCounters } from '../../../persistence/webhooks/outbox-rows.ts';
import type { Ended } from './ended-attempts.ts';

export class EventCounts {
  #counters: OutboxCounters;

  constructor(counters: OutboxCounters) {
    this.#counters = counters;
  }

  get counters(): OutboxCounters {
    return this.#counters;
  }

  /** Whether any event has ended. */
  get hasEnded(): boolean {
    const { delivered, discarded, cancelled } = this.#counters;
    return delivered + discarded + cancelled > 0;
  }

  replayed(): void {
    this.#counters = { ...this.#counters, pending: this.#counters.pending + 1 };
  }

  /** So many came up in a turn and were swept, and these attempts ended. */
  turn(cameUp: number, ended: readonly Ended[], swept: number): void {
    const counts = { ...this.#counters };
    counts.pending += cameUp;
    for (const { after, isFailure } of ended) {
      if (isFailure) counts.failedAttempts += 1;
      if (after.status === 'pending') continue;
      counts.pending -= 1;
      counts[after.status] += 1;
    }
    counts.pending -= swept;
    counts.cancelled += swept;
    this.#counters = counts;
  }
}
