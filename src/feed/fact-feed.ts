/**
 * The feed as the main thread sees it: readers that follow the journal, each at its own pace.
 *
 * Invariant: a reader is given only what is durable, and asks for more only when it has taken the last, so one that is
 * slow costs a chunk of memory and nothing else; there are at most `MAX_READERS`. A purchase pays for one assignment
 * and one comparison a group. The thread is started with the first reader; should it die, its readers' connections
 * break and come back to a new one: a bot must not be able to stop the shop.
 */

import { addSums, type MoneySums, noSums } from '../engine/apply/money-change.ts';
import { MAX_COUNTED_LINES } from '../engine/limits.ts';
import type { Epoch } from '../engine/recovery/epochs.ts';
import { Semaphore } from '../shared/semaphore.ts';
import { WorkerLink } from '../threads/worker-link.ts';
import type { EventAnswer, EventQuestion } from './event-question.ts';
import { FeedFollower } from './feed-follower.ts';
import { LINE_TYPES } from './feed-line.ts';
import type { FeedView } from './feed-reader.ts';
import type { FeedCalls, FeedThreadData } from './feed-thread.ts';
import { rowOf, type SumsQuestion } from './journal-questions.ts';
import type { LineCount } from './line-count.ts';

export const MAX_READERS = 32;
/** A reader whose token ends while nothing happens is ended so soon. */
const CHECK_READERS_EVERY_MS = 500;
/** Questions that are answered at once, at a time. */
const MAX_LOOKUPS = 8;
/** Sums at a time: each reads for seconds, and has a row in memory for each account. */
const MAX_SUMS = 2;
/** Slices of a count of lines that one answer waits for; the next goes on from there. */
const MAX_COUNT_SLICES = 10;
/** Questions of either kind that may wait: more would wait for too long. */
const MAX_WAITING = 64;
/** Pages of events at a time, and those that may wait: each takes a millisecond or so. */
const MAX_PAGES = 4;
const MAX_WAITING_PAGES = 16_384;
/** The thread makes short-lived objects only; by default they would take three times the room. */
const YOUNG_GENERATION_MB = 16;

export interface PeriodSums {
  readonly total: MoneySums;
  readonly rows: Map<number, MoneySums>;
}

export interface FactFeedOptions {
  readonly folder: string;
  /** How far the journal is durable. */
  readonly position: number;
  /** The epochs of the journal; default none but the first. */
  readonly epochs?: readonly Epoch[];
  /** How often a reader hears that it is still connected while nothing happens; default 15 s. */
  readonly heartbeatMs?: number;
}

export class FactFeed {
  readonly #options: FactFeedOptions;
  readonly #followers = new Map<number, FeedFollower>();
  readonly #thread: WorkerLink<FeedThreadData, FeedCalls>;
  /** Readers that have a place, those that are being opened too. */
  #readers = 0;
  #position: number;
  #lastReader = 0;
  readonly #lookups = new Semaphore(MAX_LOOKUPS);
  readonly #sums = new Semaphore(MAX_SUMS);
  readonly #pages = new Semaphore(MAX_PAGES);
  #isStopping = false;
  /** Runs while there are readers. */
  #readerCheck: NodeJS.Timeout | undefined;

  constructor(options: FactFeedOptions) {
    this.#options = options;
    this.#position = options.position;
    this.#thread = new WorkerLink({
      program: new URL('./feed-thread.js', import.meta.url),
      name: 'the thread of the feed',
      data: { folder: options.folder, epochs: options.epochs ?? [] },
      youngGenerationMb: YOUNG_GENERATION_MB,
      errors: [Error],
      // The next thread doesn't know them: each fails, now or when it asks.
      onDeath: (error) => {
        for (const follower of this.#followers.values()) follower.fail(error);
      },
      startsAgain: true,
    });
  }

  /** Types that lines can have. */
  get types(): readonly string[] {
    return LINE_TYPES;
  }

  /** How far the journal is durable. */
  get position(): number {
    return this.#position;
  }

  /** The journal is durable up to here, where a group ends. Cheap: call it for every group. */
  advance(position: number): void {
    this.#position = position;
    if (this.#followers.size === 0) return;
    for (const follower of this.#followers.values()) follower.advance(position);
  }

  /**
   * A reader of the facts after `after`, or why there is none: `ahead`, when there is no such fact yet (`position` is
   * the last one). Rejects when the journal can't be read there. The reader ends when `mayRead` says no, which is
   * asked before each chunk, and twice a second.
   */
  async open(after: number, mayRead: () => boolean = () => true, view: FeedView = {}) {
    if (this.#isStopping) return { kind: 'stopping' } as const;
    if (after > this.#position) return { kind: 'ahead', position: this.#position } as const;
    if (this.#readers >= MAX_READERS) return { kind: 'full' } as const;
    this.#readers += 1;
    let isOpen = false;
    try {
      this.#lastReader += 1;
      const reader = this.#lastReader;
      await this.#thread.call('open', [reader, after, view]);
      isOpen = true;
      return { kind: 'open', body: this.#follow(reader, after, mayRead) } as const;
    } finally {
      if (!isOpen) this.#readers -= 1;
    }
  }

  /** Hexadecimal SHA-256 of the frame that has this durable fact. Rejects when the journal can't be read there. */
  async hashOf(sequence: number): Promise<{ readonly hash: string } | 'busy'> {
    return this.#ask(this.#lookups, async () => ({ hash: await this.#thread.call('hashOf', [sequence]) }));
  }

  /** The position behind which the facts of this time and later are. Rejects when the journal can't be read there. */
  async positionBefore(ms: number): Promise<number | 'busy'> {
    const position = this.#position;
    return this.#ask(this.#lookups, () => this.#thread.call('positionBefore', [position, ms]));
  }

  /** Sums over the facts of a period, read one by one. */
  async sumsOf(question: Omit<SumsQuestion, 'rest'>): Promise<PeriodSums | 'busy'> {
    return this.#ask(this.#sums, () => this.#sumsOf(question));
  }

  /**
   * Counts on the lines behind a position, or a part of them when they are many: then it is not complete. Rejects when the
   * journal can't be read there.
   */
  async countOn(
    before: LineCount,
    view: FeedView,
  ): Promise<{ readonly count: LineCount; readonly isComplete: boolean } | 'busy'> {
    return this.#ask(this.#lookups, async () => {
      const end = this.#position;
      const isComplete = () => count.through >= end || count.lines >= MAX_COUNTED_LINES;
      let count = before;
      for (let slice = 0; slice < MAX_COUNT_SLICES && !isComplete(); slice += 1)
        count = await this.#thread.call('countOn', [count, end, view]);
      return { count, isComplete: isComplete() };
    });
  }

  /** The lines of these facts, which ascend and are durable. Rejects when the journal can't be read there. */
  async lines(positions: readonly number[]): Promise<string[] | 'busy'> {
    if (positions.length === 0) return [];
    return this.#ask(this.#lookups, () => this.#thread.call('lines', [positions]));
  }

  /** A page of an account's events; what is asked is asked for when its turn has come. */
  async events(question: () => EventQuestion): Promise<EventAnswer | 'busy'> {
    return this.#ask(this.#pages, () => this.#thread.call('events', [question()]), MAX_WAITING_PAGES);
  }

  /** `busy` when too many wait already, or the node stops. */
  async #ask<Answer>(
    room: Semaphore,
    question: () => Promise<Answer>,
    mostWaiting = MAX_WAITING,
  ): Promise<Answer | 'busy'> {
    if (this.#isStopping || room.waiting >= mostWaiting) return 'busy';
    return await room.run(question);
  }

  async #sumsOf(question: Omit<SumsQuestion, 'rest'>): Promise<PeriodSums> {
    const total = noSums();
    const rows = new Map<number, MoneySums>();
    let rest: SumsQuestion['rest'];
    do {
      const answer = await this.#thread.call('sumsOf', [{ ...question, rest }]);
      addSums(total, answer.total);
      for (const [id, sums] of answer.rows) addSums(rowOf(rows, id), sums);
      rest = answer.rest;
    } while (rest !== undefined);
    return { total, rows };
  }

  /** Readers get what they are just being given, and then an orderly end. */
  end(): void {
    this.#isStopping = true;
    for (const follower of this.#followers.values()) follower.abandon();
  }

  /** `end`, and ends the thread. Errors there concern readers only, so they don't keep the node from stopping. */
  async stop(): Promise<void> {
    this.end();
    await this.#thread.stop().catch(() => undefined);
  }

  #follow(reader: number, after: number, mayRead: () => boolean): FeedFollower {
    const follower = new FeedFollower({
      after,
      position: this.#position,
      heartbeatMs: this.#options.heartbeatMs,
      mayRead,
      read: (through) => this.#thread.call('read', [reader, through]),
      onClose: () => {
        this.#followers.delete(reader);
        if (this.#followers.size === 0) this.#stopChecking();
        this.#readers -= 1;
        this.#thread.tell('close', [reader]);
      },
    });
    this.#followers.set(reader, follower);
    this.#readerCheck ??= setInterval(() => this.#checkReaders(), CHECK_READERS_EVERY_MS).unref();
    if (this.#isStopping) follower.abandon();
    return follower;
  }

  #checkReaders(): void {
    for (const follower of this.#followers.values()) follower.checkReader();
  }

  #stopChecking(): void {
    clearInterval(this.#readerCheck);
    this.#readerCheck = undefined;
  }
}

export type FeedOpening = Awaited<ReturnType<FactFeed['open']>>;
