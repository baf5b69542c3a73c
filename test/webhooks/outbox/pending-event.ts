import type { OutboxEvent } from '../../../src/persistence/webhooks/event-row.ts';
import { START_MS } from './shop-facts.ts';

/** An `order.completed` that waits for its first attempt, of the fact at this position. */
export function pendingEvent(accountId: number, position: number): OutboxEvent {
  return {
    accountId,
    number: position * 8,
    status: 'pending',
    attempts: 0,
    loggedAttempts: 0,
    firstAttempt: undefined,
    createdAtMs: START_MS,
    dueAtMs: START_MS,
    content: { orderId: position },
  };
}
