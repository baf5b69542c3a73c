/** What operators see and do about deliveries: they ask, and the outbox's thread answers (`operator-desk.ts`). */
import type { Webhook } from '../engine/webhook.ts';
import type { EventHistory } from '../persistence/webhooks/delivery-history.ts';
import type { AttemptRow, EventStatus } from '../persistence/webhooks/event-row.ts';
import { eventIdOf, parseEventId } from './outbox/derivation/event-body.ts';
import type { OperatorAnswers } from './outbox/thread/outbox-messages.ts';
import { testPing } from './test-ping.ts';
import type { WebhookOutbox } from './webhook-outbox.ts';

type NamedEvent = EventHistory & { readonly eventId: string };

/** Undefined is the answer to all that the thread has no time for now. */
export class DeliveryRequests {
  readonly #outbox: WebhookOutbox;
  readonly #clock: () => number;

  /** `clock`: Unix milliseconds. */
  constructor(outbox: WebhookOutbox, clock: () => number) {
    this.#outbox = outbox;
    this.#clock = clock;
  }

  async page(accountId: number, limit: number, before?: number): Promise<NamedEvent[] | undefined> {
    const found = await this.#outbox.ask({ kind: 'page', accountId, limit, before });
    return found?.answer.map((event) => named(accountId, event));
  }

  async find(
    accountId: number,
    eventId: string,
  ): Promise<{ readonly delivery: NamedEvent | undefined } | undefined> {
    const name = parseEventId(eventId);
    if (name?.accountId !== accountId) return { delivery: undefined };
    const found = await this.#outbox.ask({ kind: 'find', accountId, number: name.number });
    if (found === undefined) return undefined;
    return { delivery: found.answer && named(accountId, found.answer) };
  }

  async replay(accountId: number, number: number): Promise<boolean | undefined> {
    const replayed = await this.#outbox.ask({ kind: 'replay', accountId, number });
    return replayed?.answer;
  }

  async replaySince(
    accountId: number,
    sinceMs: number,
    from: number,
    statuses: readonly EventStatus[],
  ): Promise<OperatorAnswers['replaySince'] | undefined> {
    const replayed = await this.#outbox.ask({ kind: 'replaySince', accountId, sinceMs, from, statuses });
    return replayed?.answer;
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

function named(accountId: number, event: EventHistory): NamedEvent {
  return { ...event, eventId: eventIdOf({ accountId, number: event.number }) };
}
