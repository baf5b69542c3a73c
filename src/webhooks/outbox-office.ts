/**
 * What operators see and do about deliveries: the history from disk, and requests to the outbox's thread.
 *
 * A replay of many is made in steps, each bounded in what it reads here, between purchases, and in what it has the
 * thread write in one turn; who asks comes back with where it stands. What was replayed is pending then, so a step
 * that is repeated replays nothing twice.
 */
import type { Webhook } from '../engine/webhook.ts';
import type { DeliveryHistory, EventHistory } from '../persistence/webhooks/delivery-history.ts';
import type { EventStatus } from '../persistence/webhooks/event-row.ts';
import type { AttemptRow } from '../persistence/webhooks/outbox-store.ts';
import { eventIdOf, parseEventId } from './event-body.ts';
import { testPing } from './test-ping.ts';
import { MAX_REPLAYED_AT_ONCE, type WebhookOutbox } from './webhook-outbox.ts';

export class OutboxOffice {
  readonly #history: DeliveryHistory;
  readonly #outbox: WebhookOutbox;
  readonly #clock: () => number;

  /** `clock`: Unix milliseconds. */
  constructor(history: DeliveryHistory, outbox: WebhookOutbox, clock: () => number) {
    this.#history = history;
    this.#outbox = outbox;
    this.#clock = clock;
  }

  page(accountId: number, limit: number, before?: number): (EventHistory & { readonly eventId: string })[] {
    return this.#history.page(accountId, limit, before).map((event) => named(accountId, event));
  }

  find(accountId: number, eventId: string): (EventHistory & { readonly eventId: string }) | undefined {
    const name = parseEventId(eventId);
    if (name?.accountId !== accountId) return undefined;
    const event = this.#history.event(accountId, name.number);
    return event === undefined ? undefined : named(accountId, event);
  }

  async replay(accountId: number, number: number): Promise<boolean | undefined> {
    const taken = await this.#outbox.replay(accountId, [number]);
    return taken === undefined ? undefined : taken === 1;
  }

  async replaySince(
    accountId: number,
    sinceMs: number,
    from: number,
    statuses: readonly EventStatus[],
  ): Promise<{ readonly count: number; readonly next: number | undefined } | undefined> {
    const first = Math.max(from, this.#history.firstSince(accountId, sinceMs));
    const events = [...this.#history.events(accountId, first, MAX_REPLAYED_AT_ONCE)];
    const last = events.at(-1);
    const next = last !== undefined && events.length === MAX_REPLAYED_AT_ONCE ? last.number + 1 : undefined;
    const numbers = events.filter(({ status }) => statuses.includes(status)).map(({ number }) => number);
    if (numbers.length === 0) return { count: 0, next };
    const count = await this.#outbox.replay(accountId, numbers);
    return count === undefined ? undefined : { count, next };
  }

  async test(
    accountId: number,
    webhook: Webhook,
  ): Promise<{ readonly eventId: string; readonly attempt: AttemptRow } | undefined> {
    const task = testPing(accountId, webhook);
    const startedAtMs = this.#clock();
    const result = await this.#outbox.test(task);
    const code = result?.error?.code;
    if (result === undefined || code === 'busy' || code === 'closed' || code === 'outdated') return undefined;
    return { eventId: task.eventId, attempt: { startedAtMs, ...result } };
  }
}

function named(accountId: number, event: EventHistory): EventHistory & { readonly eventId: string } {
  return { ...event, eventId: eventIdOf({ accountId, number: event.number }) };
}
