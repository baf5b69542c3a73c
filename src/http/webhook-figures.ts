import type { OutboxCounters } from '../persistence/webhooks/outbox-rows.ts';
import type { DurationCounts } from './metric-row.ts';

/** What the metrics say about webhooks, as of the outbox's latest word. */
export interface WebhookFigures extends OutboxCounters {
  /** How far the journal has been read. */
  readonly position: number;
  /** Attempts. */
  readonly underWay: number;
  /** Since the process started. */
  readonly figures: {
    readonly derived: number;
    /** By outcome. */
    readonly attempts: Readonly<Record<string, number>>;
    readonly attemptDuration: DurationCounts;
    readonly deliveryDelay: DurationCounts;
  };
}
