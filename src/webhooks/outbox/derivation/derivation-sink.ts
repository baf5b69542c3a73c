/** The takers of what derivation gives: events, groups, and what it must remember. */
import type { EventContent } from '../../../persistence/webhooks/event-row.ts';
import type { GroupEntry, GroupStream } from '../../../persistence/webhooks/groups/group-block.ts';
import type { PricingBefore } from '../../../persistence/webhooks/groups/pricing-before.ts';
import type { Subscriber } from '../../../persistence/webhooks/outbox-rows.ts';
import type { ViewSink } from './buyer-views.ts';

/** Takes what changes, in the order in which it does. */
export interface DerivationSink extends Pick<ViewSink, 'look' | 'pricing'> {
  emit(accountId: number, number: number, content: EventContent, createdAtMs: number): void;
  /** A group has closed; this is what it says to whom. Before the events of it. */
  group(stream: GroupStream, entry: GroupEntry): void;
  pricingBefore(row: PricingBefore, atMs: number): void;
  subscriber(accountId: number, subscriber: Subscriber): void;
  /** Events of the account up to this position are cancelled. */
  cancel(accountId: number, position: number): void;
  /** The group has changed, and `group` gives another row. */
  groupChanged(): void;
}
