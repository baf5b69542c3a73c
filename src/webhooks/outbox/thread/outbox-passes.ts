/**
 * When the outbox has its passes, and what the main thread hears of them. How far passes are apart is the pace's to say
 * (`pass-pace.ts`).
 *
 * Invariant: each position that the main thread tells is answered by a report, for it tells no other before. At once
 * when there is nothing left to read, because a change of a webhook has had it read already; else by the pass that
 * reads on, which the outbox wants for as long as there is something to read.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Outbox } from './outbox.ts';
import type { OutboxEvents } from './outbox-messages.ts';
import type { PassPace } from './pass-pace.ts';

const RETRY_WRITE_MS = 1_000;
const LONGEST_TIMER_MS = 60_000;
/** The time in which the last passes write outcomes when the node stops: many times what it takes. */
const LAST_PASSES_MS = 2_000;
/** How often the last passes look whether other nodes have what they wrote. */
const SHIPPED_LOOK_MS = 2;
/** Figures may be so old while attempts go on. */
const REPORT_MS = 250;

export interface OutboxPassesOptions {
  readonly outbox: Outbox;
  readonly pace: PassPace;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly say: Pick<OutboxEvents, 'report' | 'settled' | 'delayed'>;
  /** No row is being read. */
  readonly onPassEnd: () => void;
}

export class OutboxPasses {
  readonly #options: OutboxPassesOptions;
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #lastPassMs = 0;
  #isDelayed = false;
  /** Calls that wait for the next pass. */
  #replays: (() => void)[] = [];
  #isDispatchDue = false;
  #hasEnded = false;
  #mustReport = false;
  #lastReportMs = 0;
  #saidSettled = 0;
  #wantedSettled = 0;

  constructor(options: OutboxPassesOptions) {
    this.#options = options;
  }

  start(): void {
    this.#pass();
  }

  /** The journal is durable up to here; `mainThreadWorks` from 0 to 1. */
  durable(position: number, mainThreadWorks: number): void {
    const { outbox, pace } = this.#options;
    pace.mainThreadWorks(mainThreadWorks);
    outbox.cursor.advance(position);
    this.#mustReport = true;
    if (!outbox.cursor.hasUnread) this.#report();
    this.#plan();
  }

  /** Whether somebody waits for groups, which are to be read without delay then. */
  watch(isWatched: boolean): void {
    this.#options.outbox.isWatched = isWatched;
    this.#plan();
  }

  /** Somebody's webhook has changed, or asks for groups: the journal is to be read up to here at once. */
  changed(position: number): void {
    this.#wantedSettled = position;
    this.#options.outbox.catchUp(position);
    this.#plan();
  }

  /** Resolves when what was replayed before this call is on disk. */
  whenWritten(): Promise<void> {
    return new Promise((resolve) => {
      this.#replays.push(resolve);
      this.#plan();
    });
  }

  /** The attempt's queue is free at once; its outcome is written with the next pass. */
  attemptEnded(): void {
    if (this.#isDispatchDue) return;
    this.#isDispatchDue = true;
    setImmediate(() => {
      this.#isDispatchDue = false;
      if (this.#hasEnded) return;
      this.#options.outbox.dispatch();
      this.#plan();
    });
  }

  /** Other nodes have what the last pass wants to write: it goes on at once. */
  shipped(): void {
    this.#options.outbox.writer.shipped();
    if (!this.#hasEnded) this.#pass();
  }

  /** Writes what has ended. An event whose attempt ends afterwards is attempted again after the next start. */
  async end(): Promise<void> {
    const { outbox, nowMs } = this.#options;
    const untilMs = nowMs() + LAST_PASSES_MS;
    do {
      this.#mustReport = true;
      this.#pass();
      while (outbox.writer.isShipping && nowMs() < untilMs) await delay(SHIPPED_LOOK_MS);
    } while (!this.#isDelayed && outbox.nextPassInMs === 0 && nowMs() < untilMs);
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #pass(): void {
    const { outbox, pace, nowMs, say } = this.#options;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    pace.pass();
    const isWritten = outbox.pass();
    this.#lastPassMs = nowMs();
    if (!isWritten && !this.#isDelayed) say.delayed();
    this.#isDelayed = !isWritten;
    if (!outbox.hasReplays) for (const tell of this.#replays.splice(0)) tell();
    this.#report();
    this.#options.onPassEnd();
    this.#plan();
  }

  #plan(): void {
    const { outbox, pace } = this.#options;
    // `shipped` goes on.
    if (outbox.writer.isShipping) return;
    const nowMs = this.#options.nowMs();
    const soonestMs = this.#lastPassMs + (this.#isDelayed ? RETRY_WRITE_MS : pace.spacingMs);
    const isWaited = this.#replays.length > 0 || !pace.mayBegin;
    const waitMs = isWaited ? 0 : (outbox.nextPassInMs ?? LONGEST_TIMER_MS);
    const atMs = Math.max(nowMs + Math.min(waitMs, LONGEST_TIMER_MS), soonestMs);
    if (atMs >= this.#timerAtMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = atMs;
    this.#timer = setTimeout(() => this.#pass(), Math.ceil(atMs - nowMs));
  }

  #report(): void {
    const { outbox, say } = this.#options;
    const nowMs = this.#options.nowMs();
    if (!this.#mustReport && nowMs - this.#lastReportMs < REPORT_MS) {
      this.#saySettled();
      return;
    }
    this.#mustReport = false;
    this.#lastReportMs = nowMs;
    const { position, underWay, counters, figures } = outbox;
    const { failingReceivers } = outbox.health;
    const { settled, groupsAt } = outbox.cursor;
    this.#saidSettled = settled;
    say.report({ position, settled, groupsAt, underWay, failingReceivers, figures, ...counters });
  }

  #saySettled(): void {
    const { cursor, isWatched } = this.#options.outbox;
    const { settled, groupsAt } = cursor;
    const isWanted = isWatched || this.#saidSettled < this.#wantedSettled;
    if (!isWanted || settled <= this.#saidSettled) return;
    this.#saidSettled = settled;
    this.#options.say.settled(settled, groupsAt);
  }
}
