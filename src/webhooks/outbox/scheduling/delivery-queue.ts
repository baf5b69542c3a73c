/**
 * The memory of one account's deliveries: where they stand, what is under way, and the few events that came up a moment
 * ago; never what waits.
 *
 * First attempts start in the order of the events' numbers, `webhookConcurrency` at once. Retries have places of their
 * own, so that neither waits for the other: as many as can be due while every attempt takes its whole time, twice over.
 * So an endpoint that hangs keeps its schedule, too.
 */
import type { OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import type { QueueRow, Subscriber } from '../../../persistence/webhooks/outbox-rows.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';

export const NOTHING_DUE = Number.POSITIVE_INFINITY;
/** Events have higher ones; 0 is the last of a queue that had none. */
const LOWEST_NUMBER = 1;

export class DeliveryQueue {
  readonly accountId: number;
  subscriber: Subscriber;
  /** The lowest number whose first attempt has not been started. */
  next: number;
  /** No event that can be read has a higher number. */
  last: number;
  /** Events that are attempted next, without being read: see `FreshEvents`. */
  fresh: OutboxEvent[] = [];
  /** Events from `next` up to this number are to be read, as soon as they are on disk. */
  readThrough: number;
  cancelBelow: number;
  sweptBelow: number;
  /** When the earliest retry that isn't under way is due; may be too early, never too late. */
  nextDueAtMs = NOTHING_DUE;
  /** Nothing is started before: the sender had no place. */
  pausedUntilMs = 0;
  /** The latest attempt failed. */
  isFailing = false;
  firstsUnderWay = 0;
  retriesUnderWay = 0;
  /** Events that are under way, or have ended and aren't on disk yet, by number. */
  readonly busy = new Map<number, OutboxEvent>();
  /** Numbers below `next` whose first attempt isn't on disk. */
  readonly openFirsts = new Set<number>();
  /** Events of `openFirsts` that are to be started again, in their order. */
  again: OutboxEvent[] = [];

  /** No event has a number above `last`. */
  constructor(accountId: number, subscriber: Subscriber, row: QueueRow | undefined, last: number) {
    this.accountId = accountId;
    this.subscriber = subscriber;
    this.cancelBelow = row?.cancelBelow ?? 0;
    this.sweptBelow = row?.sweptBelow ?? 0;
    this.next = Math.max(row?.firstOpen ?? LOWEST_NUMBER, this.cancelBelow);
    this.last = last;
    this.readThrough = last;
  }

  /** The queues on disk, by account. */
  static load(store: OutboxStore): Map<number, DeliveryQueue> {
    const rows = new Map(store.queues());
    const last = store.lastNumber();
    const queues = new Map<number, DeliveryQueue>();
    for (const [accountId, subscriber] of store.subscribers()) {
      const queue = new DeliveryQueue(accountId, subscriber, rows.get(accountId), last);
      const [due] = store.due(accountId);
      queue.nextDueAtMs = due?.dueAtMs ?? NOTHING_DUE;
      // What waits for another attempt has failed before; an answer tells otherwise.
      queue.isFailing = due !== undefined;
      queues.set(accountId, queue);
    }
    return queues;
  }

  get hasFirst(): boolean {
    return this.again.length > 0 || this.fresh.length > 0 || this.next <= this.last;
  }

  get isSwept(): boolean {
    return this.sweptBelow >= this.cancelBelow;
  }

  mayStartFirst(): boolean {
    return this.hasFirst && this.firstsUnderWay < this.subscriber.webhookConcurrency;
  }

  /** `retries` is how many each event can have. */
  mayStartRetry(nowMs: number, retries: number): boolean {
    const places = 2 * retries * this.subscriber.webhookConcurrency;
    return this.nextDueAtMs <= nowMs && this.isSwept && this.retriesUnderWay < places;
  }

  /**
   * Events below `number`, all that came up so far, are cancelled. An attempt under way may still deliver its event.
   */
  cancel(number: number): void {
    this.cancelBelow = number;
    this.next = Math.max(this.next, number);
    for (const open of this.again) this.openFirsts.delete(open.number);
    this.again = [];
  }

  /** An attempt, or a new start, of this event is on disk, which is now `after`. */
  settled(after: OutboxEvent): void {
    this.busy.delete(after.number);
    this.openFirsts.delete(after.number);
    if (after.status === 'pending') this.nextDueAtMs = Math.min(this.nextDueAtMs, after.dueAtMs);
  }

  /** The queue's row as it is once the outcomes of these first attempts are on disk. */
  rowAfter(written: ReadonlySet<number>): QueueRow {
    let firstOpen = this.next;
    for (const number of this.openFirsts) {
      if (!written.has(number)) firstOpen = Math.min(firstOpen, number);
    }
    return { firstOpen, cancelBelow: this.cancelBelow, sweptBelow: this.sweptBelow };
  }
}
