/**
 * Operators' views of deliveries, their replays and their tests. Operators see `webhooks.mdb` as the outbox's thread
 * has written it last; only a replay, which writes, goes to the thread, and what is in its memory alone: whose latest
 * attempt failed.
 *
 * Invariant: an answer after a webhook was deleted or replaced says what that did to its events. The thread may not
 * have read so far yet, so the answer waits for it. Undefined is the answer when that takes too long, and when too many
 * wait: not now, but later.
 *
 * A replay of many is made in steps, each bounded in what it reads and writes. Replayed events are pending then, so
 * that a step that is repeated replays nothing twice.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Epoch } from '../engine/recovery/epochs.ts';
import type { Webhook } from '../engine/webhook.ts';
import { DeliveryHistory, type EventHistory } from '../persistence/webhooks/delivery-history.ts';
import { eventIdOf, parseEventId } from '../persistence/webhooks/event-body.ts';
import type { AttemptRow, EventStatus } from '../persistence/webhooks/event-row.ts';
import { OutboxStore } from '../persistence/webhooks/outbox-store.ts';
import { ownTick } from '../shared/event-loop.ts';
import { type DeliveryTask, TEST_TYPE } from './delivery/delivery-task.ts';
import type { QueueReport } from './outbox/thread/outbox-messages.ts';
import type { WebhookOutbox } from './webhook-outbox.ts';

/** The calls that operators' requests make to the outbox's thread. */
type OutboxThread = Pick<WebhookOutbox, 'neededPosition' | 'replay' | 'test' | 'failingAbove' | 'reports'>;

export interface Delivery extends EventHistory {
  readonly eventId: string;
}

/** The webhook event of a purchase. */
export interface PurchaseEvent {
  /** Undefined when the purchase gave none, when it isn't kept any more, or when it was not found. */
  readonly delivery: Delivery | undefined;
  /** False when there were more events of that moment than are looked at. */
  readonly isComplete: boolean;
}

/** So many events. `next`: the number from which to go on, if there is more. */
export interface EventsSince {
  readonly count: number;
  readonly next: number | undefined;
}

interface Stretch {
  readonly accountId: number;
  readonly sinceMs: number;
  readonly from: number;
  readonly statuses: readonly EventStatus[];
  /** Looked at. */
  readonly most: number;
}

export const MAX_EVENTS_OF_A_MOMENT = 1_000;
export const MAX_REPLAYED_AT_ONCE = 500;
export const MAX_COUNTED_AT_ONCE = 5_000;
/** Rows that are read in one tick, between which purchases have their turns. */
const ROWS_PER_TICK = 50;
/** How long an answer waits for the thread. A disk that is full can keep it from writing for longer. */
const BEHIND_MS = 2_000;
const LOOK_MS = 10;
const MAX_WAITING = 16;
const TEST_ID_BYTES = 8;
const ALL_TIME = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };

export class OperatorDeliveries {
  readonly #store: OutboxStore;
  readonly #history: DeliveryHistory;
  readonly #outbox: OutboxThread;
  readonly #clock: () => number;
  #waiting = 0;

  /** Opens the file of a data folder that has one. `clock`: Unix milliseconds. */
  constructor(folder: string, outbox: OutboxThread, clock: () => number) {
    this.#store = OutboxStore.open(folder);
    this.#history = new DeliveryHistory(this.#store);
    this.#outbox = outbox;
    this.#clock = clock;
  }

  /**
   * Up to `limit` deliveries of events that came up in the period (Unix milliseconds; `toMs` is not in it) and have
   * numbers below `before`, newest first. Rejects with `DamagedDataError`.
   */
  page(
    accountId: number,
    limit: number,
    before = Number.MAX_SAFE_INTEGER,
    { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number } = ALL_TIME,
  ): Promise<Delivery[] | undefined> {
    return this.#whenRead(accountId, () => {
      const first = fromMs === 0 ? 0 : this.#history.firstSince(accountId, fromMs);
      const behind = toMs === Number.POSITIVE_INFINITY ? before : this.#history.firstSince(accountId, toMs);
      const end = Math.min(before, behind);
      if (end <= first) return [];
      const events = this.#history.page(accountId, limit, end).filter(({ number }) => number >= first);
      return events.map((event) => named(accountId, event));
    });
  }

  /**
   * The events of these facts about orders, at most one of each fact, in the order of the facts. `epochs` are the
   * journal's. Rejects with `DamagedDataError`.
   */
  ofFacts(
    accountId: number,
    positions: readonly number[],
    epochs: readonly Epoch[] = [],
  ): Promise<Delivery[] | undefined> {
    return this.#whenRead(accountId, () =>
      positions
        .map((position) => this.#history.ofFact(accountId, position, epochs))
        .filter((event) => event !== undefined)
        .map((event) => named(accountId, event)),
    );
  }

  /**
   * The event of a purchase that was completed at `atMs` (Unix milliseconds). While a clock that was set back stands
   * still, any number may come up in one millisecond: then it is looked for among the first. Rejects with
   * `DamagedDataError`.
   */
  ofPurchase(accountId: number, orderId: number, atMs: number): Promise<PurchaseEvent | undefined> {
    return this.#whenRead(accountId, async () => {
      let from = this.#history.firstSince(accountId, atMs);
      for (let read = 0; read < MAX_EVENTS_OF_A_MOMENT; read += ROWS_PER_TICK) {
        if (read > 0) await ownTick();
        const events = this.#history.events(accountId, from, ROWS_PER_TICK);
        const ofMoment = events.filter(({ createdAtMs }) => createdAtMs === atMs);
        const found = ofMoment.find(({ content }) => 'orderId' in content && content.orderId === orderId);
        const event = found && this.#history.event(accountId, found.number);
        if (event !== undefined) return { delivery: named(accountId, event), isComplete: true };
        if (ofMoment.length < ROWS_PER_TICK) return { delivery: undefined, isComplete: true };
        from = (ofMoment.at(-1)?.number ?? from) + 1;
      }
      return { delivery: undefined, isComplete: false };
    });
  }

  /** `delivery` is undefined when the account has no such event, or not any more. Rejects with `DamagedDataError`. */
  async find(
    accountId: number,
    eventId: string,
  ): Promise<{ readonly delivery: Delivery | undefined } | undefined> {
    const name = parseEventId(eventId);
    if (name?.accountId !== accountId) return { delivery: undefined };
    return this.#whenRead(accountId, () => {
      const event = this.#history.event(accountId, name.number);
      return { delivery: event && named(accountId, event) };
    });
  }

  /** False when it can't be replayed as it is now. */
  async replay(accountId: number, number: number): Promise<boolean | undefined> {
    const count = await this.#whenRead(accountId, () => this.#outbox.replay(accountId, [number]));
    return count === undefined ? undefined : count > 0;
  }

  /**
   * Replays those of these statuses that came up at `sinceMs` (Unix milliseconds) or later and have numbers from
   * `from` on, oldest first; so many at once and no more.
   */
  replaySince(
    accountId: number,
    sinceMs: number,
    from: number,
    statuses: readonly EventStatus[],
  ): Promise<EventsSince | undefined> {
    return this.#whenRead(accountId, async () => {
      const stretch = { accountId, sinceMs, from, statuses, most: MAX_REPLAYED_AT_ONCE };
      const { numbers, next } = await this.#numbersSince(stretch);
      const count = await this.#outbox.replay(accountId, numbers);
      return count === undefined ? undefined : { count, next };
    });
  }

  /** How many `replaySince` would replay, by the same rules. Nothing is written, so a call looks at more of them. */
  countSince(
    accountId: number,
    sinceMs: number,
    from: number,
    statuses: readonly EventStatus[],
  ): Promise<EventsSince | undefined> {
    return this.#whenRead(accountId, async () => {
      const stretch = { accountId, sinceMs, from, statuses, most: MAX_COUNTED_AT_ONCE };
      const { numbers, next } = await this.#numbersSince(stretch);
      return { count: numbers.length, next };
    });
  }

  /** Undefined when the sender has no place for it, or the node stops. */
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

  /**
   * Accounts above `after` whose latest attempt failed and who have a webhook, by their ids. Like all of these, undefined
   * when it can't be told now.
   */
  failingAbove(after: number, limit: number): Promise<number[] | undefined> {
    return this.#outbox.failingAbove(after, limit);
  }

  /** How deliveries of these accounts go, by account; the thread may not know a webhook yet that is new. */
  async reports(accountIds: readonly number[]): Promise<ReadonlyMap<number, QueueReport> | undefined> {
    const reports = await this.#outbox.reports(accountIds);
    return reports && new Map(reports.map((report) => [report.accountId, report]));
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #numbersSince({ accountId, sinceMs, from, statuses, most }: Stretch) {
    let next: number | undefined = Math.max(from, this.#history.firstSince(accountId, sinceMs));
    const numbers: number[] = [];
    for (let read = 0; read < most && next !== undefined; read += ROWS_PER_TICK) {
      if (read > 0) await ownTick();
      const events = this.#history.events(accountId, next, ROWS_PER_TICK);
      for (const { number, status } of events) if (statuses.includes(status)) numbers.push(number);
      const last = events.at(-1);
      next = last !== undefined && events.length === ROWS_PER_TICK ? last.number + 1 : undefined;
    }
    return { numbers, next };
  }

  /** The result of `read`, which sees the latest rows, with every change of the account's webhook in them. */
  async #whenRead<Result>(
    accountId: number,
    read: () => Result | Promise<Result>,
  ): Promise<Result | undefined> {
    if (this.#waiting >= MAX_WAITING) return undefined;
    this.#waiting += 1;
    try {
      return (await this.#hasRead(accountId)) ? await read() : undefined;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #hasRead(accountId: number): Promise<boolean> {
    const needed = this.#outbox.neededPosition(accountId);
    const endMs = performance.now() + BEHIND_MS;
    for (;;) {
      this.#store.refresh();
      if (this.#store.meta().head.position >= needed) return true;
      if (performance.now() >= endMs) return false;
      await delay(LOOK_MS);
    }
  }
}

function named(accountId: number, event: EventHistory): Delivery {
  return { ...event, eventId: eventIdOf({ accountId, number: event.number }) };
}

/**
 * An operator's test of an endpoint: a delivery like every other, signed and to the same address, of a type that nobody
 * subscribes to. A receiver that goes by SPEC.md verifies it, answers 2xx, and ignores it, as it does every type that
 * it doesn't know (§9). The test has no place in the order of events, so its id is of another form, and it is attempted
 * once: whoever tests wants to know how it is now, not in six hours. A new one each time.
 */
function testPing(accountId: number, { url, sealedSecret }: Webhook): Omit<DeliveryTask, 'position'> {
  const id = `test_${randomBytes(TEST_ID_BYTES).toString('hex')}`;
  const eventId = `evt_${id}`;
  const body = JSON.stringify({ eventId, type: TEST_TYPE });
  return { accountId, url, sealedSecret, eventType: TEST_TYPE, eventId, requestId: `${id}-1`, body };
}
