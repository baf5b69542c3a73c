/**
 * The dispatcher chooses whose attempt begins next. Accounts are served one after the other, round and round; each has
 * as many attempts under way as its lane allows, and all together as many as the sender has places.
 *
 * Accounts whose latest attempt failed get at most a quarter of all places: a thousand endpoints that hang, each of
 * them in its right, can't take the places of those that answer, nor the memory that as many half-made connections
 * need. One that hangs on a busy account uses five places when all its attempts are in time. Attempts under way are in
 * memory and bounded by the places; waiting events are read from the store when they are next.
 */
import type { OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import type { FreshEvents } from './fresh-events.ts';
import { type Lane, NOTHING_DUE } from './lane.ts';

export interface DispatcherOptions {
  readonly store: OutboxStore;
  readonly fresh: FreshEvents;
  readonly nowMs: () => number;
  /** Attempts under way, in all. */
  readonly places: number;
  /** How many retries an event can have. */
  readonly retries: number;
  /** Events that could not be attempted for so long are discarded. */
  readonly longestWaitMs: number;
  /** False while nothing more may be begun: what has ended is not on disk. */
  readonly mayBegin: () => boolean;
  /**
   * False while the journal says more of the account's webhook than was read: nothing is started. See `WebhookChanges`.
   */
  readonly isCurrent: (lane: Lane) => boolean;
  /** Starts an attempt. `ended` is called for it later, never at once. */
  readonly start: (lane: Lane, event: OutboxEvent) => void;
  /** Ends an event without another attempt. */
  readonly end: (lane: Lane, event: OutboxEvent, status: 'discarded' | 'cancelled') => void;
}

const PAUSE_MS = 250;
/** The share of all places for accounts whose latest attempt failed. */
const FAILING_SHARE = 1 / 4;

export class Dispatcher {
  readonly #options: DispatcherOptions;
  /** Lanes that may have an attempt to start, in the order in which they are served. */
  readonly #ready = new Set<Lane>();
  readonly #readyFailing = new Set<Lane>();
  /** Lanes that have an attempt to start later, with its time, in milliseconds of `nowMs`. */
  readonly #waiting = new Map<Lane, number>();
  #nextWakeMs = NOTHING_DUE;
  #underWay = 0;
  /** Attempts under way that count as those of failing accounts. */
  readonly #failing = new Set<OutboxEvent>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** When `dispatch` has something to do, unless something happens before. */
  get nextWakeMs(): number {
    return this.#nextWakeMs;
  }

  /** The lane has something to start, or will have at a time it knows. */
  offer(lane: Lane): void {
    (lane.isFailing ? this.#readyFailing : this.#ready).add(lane);
    (lane.isFailing ? this.#ready : this.#readyFailing).delete(lane);
  }

  /** Starts all that may be started. */
  dispatch(): void {
    const { places, mayBegin } = this.#options;
    const nowMs = this.#options.nowMs();
    if (nowMs >= this.#nextWakeMs) this.#wake(nowMs);
    this.#serve(this.#ready, nowMs, () => this.#underWay < places && mayBegin());
    this.#serve(
      this.#readyFailing,
      nowMs,
      () => this.#underWay < places && this.#failing.size < places * FAILING_SHARE && mayBegin(),
    );
  }

  /** An attempt has ended. The event stays busy until its outcome is on disk. */
  ended(lane: Lane, event: OutboxEvent): void {
    this.#underWay -= 1;
    this.#failing.delete(event);
    if (event.loggedAttempts === 0) lane.firstsUnderWay -= 1;
    else lane.retriesUnderWay -= 1;
    this.offer(lane);
  }

  /** The sender refused an attempt: nothing was sent. The event starts again soon, in its order. */
  refused(lane: Lane, event: OutboxEvent): void {
    lane.pausedUntilMs = this.#options.nowMs() + PAUSE_MS;
    this.returned(lane, event);
  }

  /**
   * Nothing was sent, because the webhook has changed. The event starts again in its order, as soon as the change is
   * read.
   */
  returned(lane: Lane, event: OutboxEvent): void {
    lane.busy.delete(event.number);
    if (event.loggedAttempts > 0) lane.nextDueAtMs = Math.min(lane.nextDueAtMs, event.dueAtMs);
    else if (event.number < lane.cancelBelow) lane.openFirsts.delete(event.number);
    else lane.again = [...lane.again, event].sort((a, b) => a.number - b.number);
    this.ended(lane, event);
  }

  #serve(lanes: Set<Lane>, nowMs: number, mayStart: () => boolean): void {
    for (const lane of lanes) {
      if (!mayStart()) return;
      // It stays ready until more of the journal is read.
      if (!this.#options.isCurrent(lane)) continue;
      lanes.delete(lane);
      if (this.#startOne(lane, nowMs)) lanes.add(lane);
      else this.#waitFor(lane, nowMs);
    }
  }

  /** False when the lane has nothing to start now. */
  #startOne(lane: Lane, nowMs: number): boolean {
    if (lane.subscriber.webhook === null || lane.pausedUntilMs > nowMs) return false;
    const event = this.#takeFirst(lane) ?? this.#takeRetry(lane, nowMs);
    if (event === undefined) return false;
    lane.busy.set(event.number, event);
    const { start, end, longestWaitMs } = this.#options;
    if (event.number < lane.cancelBelow) end(lane, event, 'cancelled');
    else if (event.attempts === 0 && nowMs - event.dueAtMs > longestWaitMs) end(lane, event, 'discarded');
    else this.#count(lane, event, start);
    return true;
  }

  #count(lane: Lane, event: OutboxEvent, start: DispatcherOptions['start']): void {
    if (event.loggedAttempts === 0) lane.firstsUnderWay += 1;
    else lane.retriesUnderWay += 1;
    this.#underWay += 1;
    if (lane.isFailing) this.#failing.add(event);
    start(lane, event);
  }

  #takeFirst(lane: Lane): OutboxEvent | undefined {
    if (!lane.mayStartFirst()) return undefined;
    const refused = lane.again.shift();
    if (refused !== undefined) return refused;
    const event = this.#options.fresh.take(lane) ?? this.#readFirst(lane);
    lane.next = (event?.number ?? lane.last) + 1;
    if (event !== undefined) lane.openFirsts.add(event.number);
    return event;
  }

  #readFirst(lane: Lane): OutboxEvent | undefined {
    for (const event of this.#options.store.events(lane.accountId, lane.next, lane.last + 1)) {
      const isOpen = event.status === 'pending' && event.loggedAttempts === 0;
      if (isOpen && !lane.busy.has(event.number)) return event;
    }
    return undefined;
  }

  #takeRetry(lane: Lane, nowMs: number): OutboxEvent | undefined {
    const { store, retries } = this.#options;
    if (!lane.mayStartRetry(nowMs, retries)) return undefined;
    lane.nextDueAtMs = NOTHING_DUE;
    for (const { dueAtMs, number } of store.due(lane.accountId)) {
      if (lane.busy.has(number)) continue;
      lane.nextDueAtMs = dueAtMs;
      if (dueAtMs > nowMs) return undefined;
      const event = store.event(lane.accountId, number);
      if (event === undefined)
        throw new Error(`event ${number} of account ${lane.accountId} is due and isn't there`);
      return event;
    }
    return undefined;
  }

  /** Remembers when the lane is to be looked at again; not when it waits for one of its own attempts to end. */
  #waitFor(lane: Lane, nowMs: number): void {
    const wakeMs = lane.pausedUntilMs > nowMs ? lane.pausedUntilMs : lane.nextDueAtMs;
    if (lane.subscriber.webhook === null || wakeMs === NOTHING_DUE || wakeMs <= nowMs) {
      this.#waiting.delete(lane);
    } else {
      this.#waiting.set(lane, wakeMs);
      this.#nextWakeMs = Math.min(this.#nextWakeMs, wakeMs);
    }
  }

  #wake(nowMs: number): void {
    this.#nextWakeMs = NOTHING_DUE;
    for (const [lane, wakeMs] of this.#waiting) {
      if (wakeMs <= nowMs) {
        this.#waiting.delete(lane);
        this.offer(lane);
      } else {
        this.#nextWakeMs = Math.min(this.#nextWakeMs, wakeMs);
      }
    }
  }
}
