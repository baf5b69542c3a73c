/**
 * The durable outbox: facts ─▶ events ─▶ attempts ─▶ what became of them (DESIGN.md §9).
 *
 * All that changes goes to disk in turns: events with the cursor up to which the journal was read, results, rows
 * that are too old. What always holds: the cursor is behind a fact only together with the event that it gave, and an
 * event depends on nothing but the journal; so a crash repeats attempts at most, and neither loses an event nor makes a
 * second one. A turn that can't be written for want of room is written later, and nothing new begins before.
 *
 * A turn first writes what the one before has read, as it is by now, then reads on, and begins attempts of what came up
 * before that is on disk: mostly they have ended by the next turn, and the event is written once. Rejected: an attempt
 * only after its event was on disk, for which each event was written twice and its row read in between.
 *
 * It has no timers and no thread of its own: who runs it calls `turn` when `nextTurnInMs` says so, and tests do
 * with a clock of theirs.
 */
import type { JournalReader } from '../../../persistence/journal/journal-reader.ts';
import { eventNumber, type OutboxEvent } from '../../../persistence/webhooks/event-row.ts';
import type { OutboxCounters } from '../../../persistence/webhooks/outbox-rows.ts';
import type { OutboxStore } from '../../../persistence/webhooks/outbox-store.ts';
import type { DeliveryResult } from '../../delivery/delivery-result.ts';
import type { DeliveryTask } from '../../delivery/delivery-task.ts';
import type { WebhookChanges } from '../../webhook-changes.ts';
import { EMPTY_INTAKE, EventIntake, IDLE_FACTS_PER_TURN } from '../derivation/event-intake.ts';
import { GroupWatch } from '../derivation/group-watch.ts';
import { Attempts } from '../scheduling/attempts.ts';
import { Dispatcher } from '../scheduling/dispatcher.ts';
import { type Ended, EndedAttempts, FAILURES_PER_TURN } from '../scheduling/ended-attempts.ts';
import { EventCounts } from '../scheduling/event-counts.ts';
import { FreshEvents } from '../scheduling/fresh-events.ts';
import { Lane, NOTHING_DUE } from '../scheduling/lane.ts';
import { Replays } from '../scheduling/replays.ts';
import { type Clocks, ScheduleClock } from '../scheduling/schedule-clock.ts';
import { Sweeper } from '../scheduling/sweeper.ts';
import { DeliveryCounters, type DeliveryFigures } from './delivery-figures.ts';
import { OutboxWriter } from './outbox-writer.ts';
import { FACTS_PER_TURN, type TurnPace } from './turn-pace.ts';

export interface OutboxOptions {
  readonly store: OutboxStore;
  /** At the position that the store's cursor names. */
  readonly journal: Pick<JournalReader, 'head' | 'visit'>;
  readonly clocks: Clocks;
  readonly changes: WebhookChanges;
  /** `--group-window`. */
  readonly windowMs: number;
  /** `--webhook-retries`. */
  readonly retryWaitsMs: readonly number[];
  /** `--webhook-history`. */
  readonly historyMs: number;
  /** Attempts under way, in all. */
  readonly places: number;
  /** How many facts a turn reads, and how many attempts may begin before the next; by default any number begins. */
  readonly pace?: Pick<TurnPace, 'facts' | 'mayBegin' | 'mayBeginFailing' | 'begun'>;
  /** One attempt. Must not reject. */
  readonly send: (task: DeliveryTask) => Promise<DeliveryResult>;
  /** Something happened that wants a turn soon: an attempt has ended. */
  readonly onWork: () => void;
  /**
   * The journal is to say that the open group closes. Pointless when it goes beyond `unlessBeyond`: what comes there
   * closes the group if it is time. Asked again after a while, unless it says so.
   */
  readonly closeGroup: (unlessBeyond: number) => void;
  /** These were given up: an alert (SPEC.md §6). */
  readonly onDiscarded: (events: readonly OutboxEvent[]) => void;
}

/** Ended attempts that wait to be written. */
const MAX_SETTLED = 1_000;
/** How often facts are read when nobody subscribes. */
const IDLE_TURN_MS = 1_000;
/** How often it looks for what is too old. */
const SWEEP_MS = 5_000;

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #store: OutboxStore;
  readonly #clock: ScheduleClock;
  readonly #intake: EventIntake;
  readonly #groupWatch: GroupWatch;
  readonly #dispatcher: Dispatcher;
  readonly #attempts: Attempts;
  readonly #settled: EndedAttempts;
  readonly #sweeper: Sweeper;
  readonly #lanes = new Map<number, Lane>();
  readonly #figures = new DeliveryCounters();
  readonly #counts: EventCounts;
  readonly #replays: Replays;
  readonly #writer: OutboxWriter;
  /** What was read and goes with the batch that is open. */
  #openIntake = EMPTY_INTAKE;
  #durablePosition: number;
  #writtenPosition: number;
  /** To be read without delay: somebody's webhook has changed. */
  #wantedPosition = 0;
  #isCalled = false;
  #isStopping = false;
  #nextSweepMs = 0;

  constructor(options: OutboxOptions) {
    const { store, clocks, windowMs, historyMs, retryWaitsMs } = options;
    const { head, clockMs, counters } = store.meta();
    this.#options = options;
    this.#store = store;
    this.#clock = new ScheduleClock(clocks, clockMs);
    this.#counts = new EventCounts(counters);
    this.#replays = new Replays(store);
    this.#durablePosition = head.position;
    this.#writtenPosition = head.position;
    this.#settled = new EndedAttempts(store, retryWaitsMs);
    this.#sweeper = new Sweeper(store, (lane) => this.#dispatcher.offer(lane));
    const fresh = new FreshEvents();
    this.#groupWatch = new GroupWatch({ windowMs, nowMs: clocks.monotonicMs });
    this.#intake = new EventIntake({
      store,
      journal: options.journal,
      lanes: this.#lanes,
      fresh,
      onCancelled: (lane) => this.#sweeper.add(lane),
    });
    const readPosition = () => options.journal.head.position;
    this.#attempts = new Attempts({
      store,
      clock: this.#clock,
      clocks,
      figures: this.#figures,
      position: readPosition,
      send: options.send,
    });
    this.#dispatcher = new Dispatcher({
      store,
      fresh,
      nowMs: () => this.#clock.nowMs(),
      places: options.places,
      retries: retryWaitsMs.length,
      longestWaitMs: historyMs,
      mayBegin: (isFailing) => this.#mayBegin(isFailing),
      isCurrent: (lane) => options.changes.isCurrent(lane.accountId, readPosition()),
      start: (lane, event) => void this.#start(lane, event),
      end: (lane, event, status) => this.#settled.add({ lane, event, status }),
    });
    this.#writer = new OutboxWriter(store);
    this.#loadLanes(store.lastNumber());
  }

  /** How far the journal has been read and what came of it is on disk. */
  get position(): number {
    return this.#writtenPosition;
  }

  /** Whether anybody has a webhook, as far as the journal has been read. */
  get hasWebhooks(): boolean {
    return this.#intake.hasWebhooks;
  }

  get counters(): OutboxCounters {
    return this.#counts.counters;
  }

  /** Since the outbox was made. */
  get figures(): DeliveryFigures {
    return this.#figures.figures;
  }

  /** Whether a replay was taken that is not on disk yet. */
  get hasReplays(): boolean {
    return this.#replays.size > 0 || this.#writer.isWaiting;
  }

  /** Whether the journal is durable beyond what was read. */
  get hasUnread(): boolean {
    return this.#options.journal.head.position < this.#durablePosition;
  }

  /** Attempts under way. */
  get underWay(): number {
    return this.#dispatcher.underWay;
  }

  /** The journal is durable up to here, where a group must end. */
  advance(position: number): void {
    this.#durablePosition = Math.max(this.#durablePosition, position);
  }

  /** The same, and up to here it is to be read without delay: somebody's webhook has changed. */
  catchUp(position: number): void {
    this.advance(position);
    this.#wantedPosition = position;
    this.#isCalled = true;
  }

  /**
   * Writes, reads on, and starts what is due. False when it could not be written for want of room: try again in a
   * while. Throws when the disk fails otherwise, or the journal is not what it was.
   */
  turn(isWantOfRoom: (error: unknown) => boolean = () => false): boolean {
    this.#isCalled = false;
    if (!this.#writer.isWaiting) this.#close();
    if (!this.#writer.write(isWantOfRoom)) return false;
    if (!this.#isStopping) {
      this.#read();
      if (this.#groupDueInMs() === 0) this.#askToClose();
    }
    this.#dispatcher.offerHeld();
    this.#dispatcher.dispatch();
    return true;
  }

  /** Starts the schedule of an event anew, with the next turn. False when it can't be: see `Replays.add`. */
  replay(accountId: number, number: number): boolean {
    const lane = this.#lanes.get(accountId);
    const isTaken =
      lane !== undefined && this.#replays.add(this.#writer.batch, lane, number, this.#clock.nowMs());
    if (isTaken) this.#counts.replayed();
    return isTaken;
  }

  /** Starts what may be started, without writing. Enough when an attempt has ended: its lane is free. */
  dispatch(): void {
    this.#dispatcher.dispatch();
  }

  /** Nothing more is started. What is under way may still end; `turn` writes it. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Milliseconds until `turn` has something to do, if nothing happens before; undefined when it never will. */
  get nextTurnInMs(): number | undefined {
    const hasToWrite = this.#hasUnwritten || this.#settled.size > 0 || this.#isCursorWanted;
    // Whatever else there is to do comes after the next start.
    if (this.#isStopping) return hasToWrite ? 0 : undefined;
    if (hasToWrite || this.#isCalled || this.#sweeper.isDue) return 0;
    const nowMs = this.#clock.nowMs();
    const waits = [this.#dispatcher.nextWakeMs - nowMs];
    if (this.hasUnread) {
      waits.push(this.#intake.hasWebhooks || this.#isReadingUrgent ? 0 : IDLE_TURN_MS);
    }
    waits.push(this.#groupDueInMs() ?? NOTHING_DUE);
    if (this.#counts.hasEnded) waits.push(this.#nextSweepMs - nowMs);
    const wait = Math.min(...waits);
    return wait === NOTHING_DUE ? undefined : Math.max(0, Math.ceil(wait));
  }

  /** What is still to be read may close the group itself. */
  #groupDueInMs(): number | undefined {
    const dueInMs = this.#groupWatch.dueInMs(this.#intake.group);
    return this.hasUnread ? undefined : dueInMs;
  }

  #askToClose(): void {
    const wantsOtherWindow = this.#groupWatch.wantsOtherWindow(this.#intake.group);
    this.#groupWatch.asked();
    this.#options.closeGroup(
      wantsOtherWindow ? Number.POSITIVE_INFINITY : this.#options.journal.head.position,
    );
  }

  #mayBegin(isFailing: boolean): boolean {
    if (this.#isStopping || this.#writer.isWaiting || this.#settled.size >= MAX_SETTLED) return false;
    // Others are begun for as long as there is room at all: what fails must not hold them up.
    if (isFailing && this.#settled.failures >= FAILURES_PER_TURN) return false;
    const { pace } = this.#options;
    return (isFailing ? pace?.mayBeginFailing : pace?.mayBegin) ?? true;
  }

  #loadLanes(last: number): void {
    const rows = new Map(this.#store.lanes());
    for (const [accountId, subscriber] of this.#store.subscribers()) {
      const lane = new Lane(accountId, subscriber, rows.get(accountId), last);
      const [due] = this.#store.due(accountId);
      lane.nextDueAtMs = due?.dueAtMs ?? NOTHING_DUE;
      // What waits for another attempt has failed before; an answer tells otherwise.
      lane.isFailing = due !== undefined;
      this.#lanes.set(accountId, lane);
      this.#dispatcher.offer(lane);
      if (!lane.isSwept) this.#sweeper.add(lane);
    }
  }

  get #hasUnwritten(): boolean {
    return this.#writer.isWaiting || this.#writer.batch.size > 0 || this.#openIntake.unwritten.length > 0;
  }

  /** Whether the cursor is written though there is nothing to write with it. */
  get #isCursorDue(): boolean {
    const unwritten = this.#options.journal.head.position - this.#writtenPosition;
    const isFar = unwritten >= IDLE_FACTS_PER_TURN || (unwritten > 0 && this.#isStopping);
    return isFar || this.#isCursorWanted;
  }

  /** What somebody's webhook has become is read, and the file doesn't say so: operators' reads wait for it. */
  get #isCursorWanted(): boolean {
    return this.#writtenPosition < this.#wantedPosition && !this.#isReadingUrgent;
  }

  /** Somebody waits for what is still unread: a webhook has changed. */
  get #isReadingUrgent(): boolean {
    return this.#options.journal.head.position < this.#wantedPosition;
  }

  /** What comes up goes with the next turn's batch; what may be attempted before is offered. */
  #read(): void {
    const paced = this.#isReadingUrgent ? undefined : this.#options.pace?.facts;
    const mostFacts = paced ?? FACTS_PER_TURN.free;
    const { batch } = this.#writer;
    this.#openIntake = this.#intake.read(batch, this.#durablePosition, mostFacts, this.#clock.nowMs());
    this.#figures.cameUp(this.#openIntake.events);
    for (const lane of this.#openIntake.lastNumbers.keys()) this.#dispatcher.offer(lane);
  }

  /** Ends the batch that was begun by reading, unless there is nothing to write. */
  #close(): void {
    const { batch } = this.#writer;
    const nowMs = this.#clock.nowMs();
    // A group may still come up at the very position of the cursor.
    const firstUnwritten = eventNumber(this.#writtenPosition, 'catalog.updated');
    const swept = this.#sweeper.cancel(batch, nowMs, firstUnwritten);
    const ended = this.#settled.write(batch, nowMs);
    this.#putUnwritten(ended);
    if (nowMs >= this.#nextSweepMs) {
      const isBusy = (accountId: number, number: number) =>
        this.#lanes.get(accountId)?.busy.has(number) ?? false;
      const isDone = this.#sweeper.forget(batch, nowMs - this.#options.historyMs, isBusy);
      this.#nextSweepMs = isDone ? nowMs + SWEEP_MS : nowMs;
    }
    this.#counts.turn(this.#openIntake.events, ended, swept);
    const changed = [...ended, ...this.#replays.take()];
    const { head } = this.#options.journal;
    if (batch.size === 0 && !this.#isCursorDue) return;
    this.#store.putMeta(batch, { head, clockMs: nowMs, counters: this.#counts.counters });
    const { lastNumbers } = this.#openIntake;
    this.#openIntake = EMPTY_INTAKE;
    this.#writer.close(() => this.#written(head.position, changed, lastNumbers));
  }

  /** Events that came up, unless what became of them is written already. */
  #putUnwritten(ended: readonly Ended[]): void {
    const { unwritten } = this.#openIntake;
    if (unwritten.length === 0) return;
    const endedEvents = new Set(ended.map(({ event }) => event));
    for (const event of unwritten) {
      if (!endedEvents.has(event)) this.#store.putEvent(this.#writer.batch, event);
    }
  }

  #written(position: number, changed: readonly Ended[], lastNumbers: ReadonlyMap<Lane, number>): void {
    this.#writtenPosition = position;
    this.#sweeper.written();
    for (const [lane, number] of lastNumbers) {
      lane.last = Math.max(lane.last, number);
      this.#dispatcher.offer(lane);
    }
    for (const { lane, event, after } of changed) {
      lane.busy.delete(event.number);
      lane.openFirsts.delete(event.number);
      if (after.status === 'pending') lane.nextDueAtMs = Math.min(lane.nextDueAtMs, after.dueAtMs);
      this.#dispatcher.offer(lane);
    }
    const discarded = changed.filter(({ after }) => after.status === 'discarded');
    if (discarded.length > 0) this.#options.onDiscarded(discarded.map(({ after }) => after));
  }

  async #start(lane: Lane, event: OutboxEvent): Promise<void> {
    this.#options.pace?.begun(lane.isFailing);
    const attempt = await this.#attempts.make(lane, event);
    const code = attempt.result.error?.code;
    if (code === 'busy' || code === 'closed') {
      this.#dispatcher.refused(lane, event);
    } else if (code === 'outdated') {
      this.#dispatcher.returned(lane, event);
    } else {
      this.#settled.add({ lane, event, ...attempt });
      this.#dispatcher.settled(lane, event);
    }
    this.#options.onWork();
  }
}
