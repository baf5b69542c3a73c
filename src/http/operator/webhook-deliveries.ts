import type { Webhook } from '../../engine/webhook.ts';
import type { EventHistory } from '../../persistence/webhooks/delivery-history.ts';
import type { AttemptRow, EventStatus } from '../../persistence/webhooks/event-row.ts';

export interface Delivery extends EventHistory {
  readonly eventId: string;
}

export interface Replayed {
  readonly count: number;
  /** The number of an event from which to go on; undefined when there is no more. */
  readonly next: number | undefined;
}

/**
 * What the operator's routes about webhooks need. `src/webhooks/operator-deliveries.ts` is it.
 * Undefined says: not now, but later.
 */
export interface WebhookDeliveries {
  /** Up to `limit` deliveries with numbers below `before`, newest first. */
  page(accountId: number, limit: number, before?: number): Promise<Delivery[] | undefined>;
  /** `delivery` is undefined when the account has no such event, or not any more. */
  find(accountId: number, eventId: string): Promise<{ readonly delivery: Delivery | undefined } | undefined>;
  /** False when it can't be replayed as it is now. */
  replay(accountId: number, number: number): Promise<boolean | undefined>;
  /**
   * Replays those of these statuses that came up at `sinceMs` (Unix milliseconds) or later and have numbers from
   * `from` on, oldest first; so many at once and no more.
   */
  replaySince(
    accountId: number,
    sinceMs: number,
    from: number,
    statuses: readonly EventStatus[],
  ): Promise<Replayed | undefined>;
  /** One attempt, at once. */
  test(
    accountId: number,
    webhook: Webhook,
  ): Promise<{ readonly eventId: string; readonly attempt: AttemptRow } | undefined>;
}
