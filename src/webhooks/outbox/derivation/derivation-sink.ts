/** The takers of what derivation gives: events, and what it must remember. */
import type { EventContent, ListName } from '../../../persistence/webhooks/event-row.ts';
import type { Subscriber } from '../../../persistence/webhooks/outbox-rows.ts';
import type { ViewSink } from './buyer-views.ts';

/** Takes what changes, in the order in which it does. */
export interface DerivationSink extends ViewSink {
  emit(accountId: number, number: number, content: EventContent, createdAtMs: number): void;
  /** The products that events list, the latest last; `references` events do. */
  list(name: ListName, productIds: readonly number[], references: number): void;
  subscriber(accountId: number, subscriber: Subscriber): void;
  /** Events of the account up to this position are cancelled. */
  cancel(accountId: number, position: number): void;
  /** The group has changed, and `group` gives another row. */
  groupChanged(): void;
}
