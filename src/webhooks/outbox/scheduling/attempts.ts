/**
 * The attempts of the outbox: what is sent for an event, by the configuration as it is known when it starts, and how
 * that is counted.
 */

import { DamagedDataError } from '../../../persistence/codec/byte-reader.ts';
import { eventBody, eventIdOf, requestIdOf } from '../../../persistence/webhooks/event-body.ts';
import { eventTypeOf, type OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import { GroupReader } from '../../../persistence/webhooks/groups/group-reader.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import type { DeliveryResult } from '../../delivery/delivery-result.ts';
import type { DeliveryTask } from '../../delivery/delivery-task.ts';
import type { DeliveryCounters } from '../thread/delivery-figures.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import type { Clocks, ScheduleClock } from './schedule-clock.ts';

export interface AttemptsOptions {
  readonly store: OutboxStore;
  readonly clock: ScheduleClock;
  readonly clocks: Clocks;
  readonly figures: DeliveryCounters;
  /** How far the journal has been read: what the queues' configurations go by. */
  readonly position: () => number;
  readonly send: (task: DeliveryTask) => Promise<DeliveryResult>;
}

/** An attempt that has ended. */
export interface EndedAttempt {
  readonly result: DeliveryResult;
  /** The start, Unix milliseconds: by the schedule's clock, and by the wall's. */
  readonly startedAtMs: number;
  readonly shownStartMs: number;
}

export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #groups: GroupReader;

  constructor(options: AttemptsOptions) {
    this.#options = options;
    this.#groups = new GroupReader(options.store);
  }

  async make(queue: DeliveryQueue, event: OutboxEvent): Promise<EndedAttempt> {
    const { clock, clocks, figures, send } = this.#options;
    const startedAtMs = clock.nowMs();
    const shownStartMs = clocks.wallMs();
    const result = await send(this.#taskOf(queue, event));
    const isFirstSchedule = event.attempts === event.loggedAttempts;
    const delayMs = shownStartMs + result.durationMs - event.createdAtMs;
    figures.attempted(result, isFirstSchedule ? delayMs : undefined);
    return { result, startedAtMs, shownStartMs };
  }

  #taskOf(queue: DeliveryQueue, event: OutboxEvent): DeliveryTask {
    const { webhook } = queue.subscriber;
    if (webhook === null) throw new Error(`account ${queue.accountId} has no webhook to send to`);
    return {
      accountId: queue.accountId,
      position: this.#options.position(),
      url: webhook.url,
      sealedSecret: webhook.sealedSecret,
      eventType: eventTypeOf(event.number),
      eventId: eventIdOf(event),
      requestId: requestIdOf(event, event.loggedAttempts + 1),
      body: eventBody(event, () => this.#productsOf(event)),
    };
  }

  #productsOf({ accountId, number }: OutboxEvent): readonly number[] {
    const { productIds = [] } = this.#groups.told(accountId, number) ?? {};
    if (productIds.length === 0) throw new DamagedDataError(`the products of event ${number} are missing`);
    return productIds;
  }
}
