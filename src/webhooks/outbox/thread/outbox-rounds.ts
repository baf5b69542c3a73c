/**
 * When the outbox has its rounds, and what the main thread hears of them. How far rounds are apart is the pace's to say
 * (`round-pace.ts`).
 *
 * Invariant: each position that the main thread tells is answered by a report, for it tells no other before. At once
 * when there is nothing left to read, because a change of a webhook has had it read already; else by the round that
 * reads on, which the outbox wants for as long as there is something to read.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Outbox } from './outbox.ts';
import type { OutboxEvents } from './outbox-messages.ts';
import type { RoundPace } from './round-pace.ts';

const RETRY_WRITE_MS = 1_000;
const LONGEST_TIMER_MS = 60_000;
/** The time in which the last rounds write outcomes when the node stops: many times what it takes. */
const LAST_ROUNDS_MS = 2_000;
/** How often the last rounds look whether other nodes have what they wrote. */
const SHIPPED_LOOK_MS = 2;
/** Figures may be so old while attempts go on. */
const REPORT_MS = 250;

export interface OutboxRoundsOptions {
  readonly outbox: Outbox;
  readonly pace: RoundPace;
  /** A monotonic clock. */
  readonly nowMs: () => number;
  readonly say: Pick<OutboxEvents, 'report' | 'delayed'>;
  /** No row is being read. */
  readonly onRoundEnd: () => void;
}

export class OutboxRounds {
  readonly #options: OutboxRoundsOptions;
  #timer: NodeJS.Timeout | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #lastRoundMs = 0;
  #isDelayed = false;
  /** Calls that wait for the next round. */
  #replays: (() => void)[] = [];
  #isDispatchDue = false;
  #hasEnded = false;
  #mustReport = false;
  #lastReportMs = 0;

  constructor(options: OutboxRoundsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#round();
  }

  /** The journal is durable up to here; `mainThreadWorks` from 0 to 1. */
  durable(position: number, mainThreadWorks: number): void {
    const { outbox, pace } = this.#options;
    pace.mainThreadWorks(mainThreadWorks);
    outbox.advance(position);
    this.#mustReport = true;
    if (!outbox.hasUnread) this.#report();
    this.#plan();
  }

  /** Somebody's webhook has changed: the journal is to be read up to here at once. */
  changed(position: number): void {
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

  /** The attempt's lane is free at once; its outcome is written with the next round. */
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

  /** Other nodes have what the last round wants to write: it goes on at once. */
  shipped(): void {
    this.#options.outbox.writer.shipped();
    if (!this.#hasEnded) this.#round();
  }

  /** Writes what has ended. An event whose attempt ends afterwards is attempted again after the next start. */
  async end(): Promise<void> {
    const { outbox, nowMs } = this.#options;
    const untilMs = nowMs() + LAST_ROUNDS_MS;
    do {
      this.#mustReport = true;
      this.#round();
      while (outbox.writer.isShipping && nowMs() < untilMs) await delay(SHIPPED_LOOK_MS);
    } while (!this.#isDelayed && outbox.nextRoundInMs === 0 && nowMs() < untilMs);
    this.#hasEnded = true;
    clearTimeout(this.#timer);
  }

  #round(): void {
    const { outbox, pace, nowMs, say } = this.#options;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    pace.round();
    const isWritten = outbox.round();
    this.#lastRoundMs = nowMs();
    if (!isWritten && !this.#isDelayed) say.delayed();
    this.#isDelayed = !isWritten;
    if (!outbox.hasReplays) for (const tell of this.#replays.splice(0)) tell();
    this.#report();
    this.#options.onRoundEnd();
    this.#plan();
  }

  #plan(): void {
    const { outbox, pace } = this.#options;
    // `shipped` goes on.
    if (outbox.writer.isShipping) return;
    const nowMs = this.#options.nowMs();
    const soonestMs = this.#lastRoundMs + (this.#isDelayed ? RETRY_WRITE_MS : pace.spacingMs);
    const isWaited = this.#replays.length > 0 || !pace.mayBegin;
    const waitMs = isWaited ? 0 : (outbox.nextRoundInMs ?? LONGEST_TIMER_MS);
    const atMs = Math.max(nowMs + Math.min(waitMs, LONGEST_TIMER_MS), soonestMs);
    if (atMs >= this.#timerAtMs) return;
    clearTimeout(this.#timer);
    this.#timerAtMs = atMs;
    this.#timer = setTimeout(() => this.#round(), Math.ceil(atMs - nowMs));
  }

  #report(): void {
    const { outbox, say } = this.#options;
    const nowMs = this.#options.nowMs();
    if (!this.#mustReport && nowMs - this.#lastReportMs < REPORT_MS) return;
    this.#mustReport = false;
    this.#lastReportMs = nowMs;
    const { position, underWay, failingReceivers, counters, figures } = outbox;
    say.report({ position, underWay, failingReceivers, figures, ...counters });
  }
}
