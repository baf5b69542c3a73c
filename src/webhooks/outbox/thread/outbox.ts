/**
 * The durable outbox: facts ─▶ events ─▶ attempts ─▶ outcomes (DESIGN.md §9).
 *
 * All that changes goes to disk in passes: events with the cursor up to which the journal was read, results, rows that
 * are too old. Invariant: the cursor is behind a fact only together with the event that it gave, and an event depends
 * on nothing but the journal; so a crash repeats attempts at most, and neither loses an event nor makes a second one. A
 * pass that can't be written for want of room is written later, and nothing new begins before.
 *
 * A pass first writes what the one before has read, as it is by now, then reads on, and begins attempts of what came
 * up before that is on disk: mostly they have ended by the next pass, and the event is written once. Rejected: an
 * attempt only after its event was on disk, for which each event was written twice and its row read in between.
 *
 * The outbox has no timers and no thread of its own: its owner calls `pass` when `nextPassInMs` says so.
 */
import { eventNumber, type OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import type { OutboxCounters } from '../../../persistence/webhooks/outbox-rows.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import { EventGroupWatch } from '../derivation/event-group-watch.ts';
import { EMPTY_INTAKE, EventIntake } from '../derivation/event-intake.ts';
import { Attempts } from '../scheduling/attempts.ts';
import { DeliveryQueue, NOTHING_DUE } from '../scheduling/delivery-queue.ts';
import { Dispatcher } from '../scheduling/dispatcher.ts';
import { EventOutcomes, type Outcome } from '../scheduling/event-outcomes.ts';
import { FreshEvents } from '../scheduling/fresh-events.ts';
import { GroupSweeper } from '../scheduling/group-sweeper.ts';
import { longestWaitMs } from '../scheduling/longest-wait.ts';
import { ScheduleClock } from '../scheduling/schedule-clock.ts';
import { Sweeper } from '../scheduling/sweeper.ts';
import { DeliveryCounters, type DeliveryFigures } from './delivery-figures.ts';
import { JournalCursor } from './journal-cursor.ts';
import type { QueueReport } from './outbox-messages.ts';
import type { OutboxBacklog, OutboxOptions } from './outbox-options.ts';
import { OutboxWriter } from './outbox-writer.ts';
import { FACTS_PER_PASS } from './pass-pace.ts';
import { reportsOf } from './queue-reports.ts';

/** How often facts are read when nobody subscribes or waits. */
const IDLE_PASS_MS = 1_000;

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #store: OutboxStore;
  readonly #clock: ScheduleClock;
  readonly #intake: EventIntake;
  readonly #eventGroupWatch: EventGroupWatch;
  readonly #dispatcher: Dispatcher;
  readonly #attempts: Attempts;
  readonly #outcomes: EventOutcomes;
  readonly #sweeper: Sweeper;
  readonly #groupSweeper: GroupSweeper;
  readonly #queues: Map<number, DeliveryQueue>;
  readonly #figures = new DeliveryCounters();
  readonly #writer: OutboxWriter;
  readonly #cursor: JournalCursor;
  /** The events that were read and go with the open batch. */
  #openIntake = EMPTY_INTAKE;
  #isCalled = false;
  #isStopping = false;
  /** Whether somebody waits for groups. */
  isWatched = false;

  constructor(options: OutboxOptions) {
    const { store, clocks, windowMs, historyMs, retryWaitsMs } = options;
    const { clockMs, counters } = store.meta();
    this.#options = options;
    this.#store = store;
    this.#clock = new ScheduleClock(clocks, clockMs);
    this.#cursor = new JournalCursor(store, options.journal);
    this.#queues = DeliveryQueue.load(store);
    this.#outcomes = new EventOutcomes(store, retryWaitsMs, counters, this.#queues.values());
    const onSwept = (queue: DeliveryQueue) => this.#dispatcher.offer(queue);
    this.#sweeper = new Sweeper({ store, queues: this.#queues, historyMs, onSwept });
    this.#groupSweeper = new GroupSweeper(store, historyMs);
    const fresh = new FreshEvents();
    this.#intake = new EventIntake({
      store,
      journal: options.journal,
      queues: this.#queues,
      fresh,
      onCancelled: (queue) => this.#sweeper.add(queue),
    });
    this.#eventGroupWatch = new EventGroupWatch({
      windowMs,
      nowMs: clocks.monotonicMs,
      state: this.#intake.group,
      closeEventGroup: options.closeEventGroup,
    });
    this.#attempts = new Attempts({
      store,
      clock: this.#clock,
      clocks,
      figures: this.#figures,
      position: () => this.#cursor.read,
      send: options.send,
    });
    this.#dispatcher = new Dispatcher({
      store,
      fresh,
      nowMs: () => this.#clock.nowMs(),
      places: options.places,
      retries: retryWaitsMs.length,
      longestWaitMs: historyMs,
      mayBegin: () => this.#mayBegin(),
      isCurrent: (queue) => options.changes.isCurrent(queue.accountId, this.#cursor.read),
      isGone: ({ number }) => this.#groupSweeper.isGone(number),
      start: (queue, event) => void this.#start(queue, event),
      end: (queue, event, status) => this.#outcomes.add({ queue, event, status }),
    });
    this.#writer = new OutboxWriter(store, options.ship);
    for (const queue of this.#queues.values()) {
      this.#dispatcher.offer(queue);
      if (!queue.isSwept) this.#sweeper.add(queue);
    }
  }

  /** How far the journal has been read and what came of it is on disk. */
  get position(): number {
    return this.#cursor.written;
  }

  /** How far the journal is durable and read. */
  get cursor(): Pick<JournalCursor, 'advance' | 'hasUnread' | 'settled' | 'groupsAt'> {
    return this.#cursor;
  }

  /** Whether anybody has a webhook, as far as the journal has been read. */
  get hasWebhooks(): boolean {
    return this.#intake.hasWebhooks;
  }

  get counters(): OutboxCounters {
    return this.#outcomes.counters;
  }

  /** How far the journal has been read, and for how long the event that waits longest could have been attempted. */
  backlog(): OutboxBacklog {
    const position = this.#cursor.read;
    if (this.#options.changes.isHeld) return { position, waitedMs: 0 };
    return { position, waitedMs: longestWaitMs(this.#queues.values(), this.#store, this.#clock.nowMs()) };
  }

  /** Figures since the outbox was made. */
  get figures(): DeliveryFigures {
    return this.#figures.figures;
  }

  /** Whether a replay was taken that is not on disk yet. */
  get hasReplays(): boolean {
    return this.#outcomes.hasReplays || this.#writer.isWaiting;
  }

  /** How deliveries go. */
  get health(): Pick<EventOutcomes, 'failingReceivers' | 'failingAbove'> {
    return this.#outcomes;
  }

  /** Reports of those of these accounts whose webhook has been read from the journal. */
  reports(accountIds: readonly number[]): QueueReport[] {
    return reportsOf(accountIds, this.#queues, this.#store);
  }

  /** Where other nodes follow, a pass waits for them: `shipped` says that they have what it writes. */
  get writer(): Pick<OutboxWriter, 'isWaiting' | 'isShipping' | 'shipped'> {
    return this.#writer;
  }

  /** Attempts under way. */
  get underWay(): number {
    return this.#dispatcher.underWay;
  }

  /** Takes a durable position up to which the journal is to be read without delay: somebody's webhook has changed. */
  catchUp(position: number): void {
    this.#cursor.want(position);
    this.#isCalled = true;
  }

  /**
   * Writes, reads on, and starts what is due; only `isShipping` when other nodes must have it first. False when it could
   * not be written for want of room: try again in a while. Throws when the disk fails otherwise, or the journal is not what it was.
   */
  pass(): boolean {
    this.#isCalled = false;
    if (!this.#writer.isWaiting) this.#close();
    if (this.#writer.isShipping) return true;
    if (!this.#writer.write()) return false;
    if (!this.#isStopping) {
      this.#read();
      if (!this.#cursor.hasUnread) this.#eventGroupWatch.askIfDue(this.#cursor.read);
    }
    this.#dispatcher.dispatch();
    return true;
  }

  /** Starts the schedule of an event anew, with the next pass. False when it can't be: see `EventOutcomes`. */
  replay(accountId: number, number: number): boolean {
    const queue = this.#queues.get(accountId);
    if (queue === undefined || this.#groupSweeper.isGone(number)) return false;
    return this.#outcomes.replay(this.#writer.batch, queue, number, this.#clock.nowMs());
  }

  /** Starts what may be started, without writing: an attempt has ended, so its queue is free. */
  dispatch(): void {
    this.#dispatcher.dispatch();
  }

  /** Nothing more is started. Attempts under way may still end; `pass` writes their outcomes. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Milliseconds until `pass` has something to do, if nothing happens before; undefined when it never will. */
  get nextPassInMs(): number | undefined {
    const hasToWrite = this.#hasUnwritten || this.#outcomes.waiting > 0 || this.#cursor.isWriteWanted;
    // Whatever else there is to do comes after the next start.
    if (this.#isStopping) return hasToWrite ? 0 : undefined;
    if (hasToWrite || this.#isCalled || this.#sweeper.isDue) return 0;
    const nowMs = this.#clock.nowMs();
    const ownMs = [this.#dispatcher.nextWakeMs, this.#cursor.writeDueAtMs(false), this.#groupSweeper.nextMs];
    const waits = ownMs.map((atMs) => atMs - nowMs);
    const isReadAtOnce = this.#intake.hasWebhooks || this.isWatched || this.#cursor.isReadingUrgent;
    if (this.#cursor.hasUnread) waits.push(isReadAtOnce ? 0 : IDLE_PASS_MS);
    // What is still to be read may close the group itself.
    else waits.push(this.#eventGroupWatch.dueInMs ?? NOTHING_DUE);
    if (this.#outcomes.hasEnded) waits.push(this.#sweeper.nextForgetMs - nowMs);
    const wait = Math.min(...waits);
    return wait === NOTHING_DUE ? undefined : Math.max(0, Math.ceil(wait));
  }

  #mayBegin(): boolean {
    const isFull = this.#isStopping || this.#writer.isWaiting || this.#outcomes.isFull;
    return !isFull && !this.#options.changes.isHeld && (this.#options.pace?.mayBegin ?? true);
  }

  get #hasUnwritten(): boolean {
    return this.#writer.isWaiting || this.#writer.batch.size > 0 || this.#openIntake.unwritten.length > 0;
  }

  /** New events go with the next pass's batch; queues that may attempt theirs before are offered. */
  #read(): void {
    const mostFacts =
      (this.#cursor.isReadingUrgent ? undefined : this.#options.pace?.facts) ?? FACTS_PER_PASS.free;
    const { batch } = this.#writer;
    this.#openIntake = this.#intake.read(batch, this.#cursor.durable, mostFacts, this.#clock.nowMs());
    this.#cursor.gave(this.#openIntake.hasGroups);
    this.#figures.cameUp(this.#openIntake.events);
    for (const queue of this.#openIntake.lastNumbers.keys()) this.#dispatcher.offer(queue);
  }

  /** Ends the batch that was begun by reading, unless there is nothing to write. */
  #close(): void {
    const { batch } = this.#writer;
    const nowMs = this.#clock.nowMs();
    // A group may still come up at the very position of the cursor.
    const firstUnwritten = eventNumber(this.#cursor.written, 'catalog.updated', this.#cursor.writtenEpoch);
    const swept = this.#sweeper.cancel(batch, nowMs, firstUnwritten);
    const outcomes = this.#outcomes.write(batch, nowMs, this.#openIntake.unwritten);
    this.#sweeper.forget(batch, nowMs);
    this.#groupSweeper.sweep(batch, nowMs);
    this.#outcomes.count(this.#openIntake.events, swept);
    const { head } = this.#options.journal;
    if (batch.size === 0 && nowMs < this.#cursor.writeDueAtMs(this.#isStopping)) return;
    this.#intake.putOpenGroup(batch);
    this.#store.putMeta(batch, { head, clockMs: nowMs, counters: this.#outcomes.counters });
    const [{ lastNumbers }, { epoch }] = [this.#openIntake, this.#intake.group];
    this.#openIntake = EMPTY_INTAKE;
    this.#cursor.closed(nowMs);
    this.#writer.close(() => {
      this.#cursor.wrote(head.position, epoch);
      this.#written(outcomes, lastNumbers);
    });
  }

  #written(outcomes: readonly Outcome[], lastNumbers: ReadonlyMap<DeliveryQueue, number>): void {
    this.#sweeper.written();
    for (const [queue, number] of lastNumbers) {
      queue.last = Math.max(queue.last, number);
      this.#dispatcher.offer(queue);
    }
    for (const { queue, after } of outcomes) {
      queue.settled(after);
      this.#dispatcher.offer(queue);
    }
    const discarded = outcomes.filter(({ after }) => after.status === 'discarded');
    if (discarded.length > 0) this.#options.onDiscarded(discarded.map(({ after }) => after));
  }

  async #start(queue: DeliveryQueue, event: OutboxEvent): Promise<void> {
    this.#options.pace?.begun();
    const attempt = await this.#attempts.make(queue, event);
    const code = attempt.result.error?.code;
    if (code === 'busy' || code === 'closed') this.#dispatcher.refused(queue, event);
    else if (code === 'outdated') this.#dispatcher.returned(queue, event);
    else {
      this.#outcomes.add({ queue, event, ...attempt });
      this.#dispatcher.ended(queue, event);
    }
    this.#options.onWork();
  }
}
