/**
 * Requests that wait for an event of their account, on the main thread.
 *
 * Readers that wait are looked for when a group of facts is durable, by the accounts of the facts, and only while somebody
 * waits: else a purchase pays for one comparison a group. They are woken some milliseconds later, with all that came
 * meanwhile. Readers that want groups of events, too, are woken when these have settled up to the account's facts; and all of them when
 * a group has come, for nobody knows here whom it concerns.
 */
import type { Engine } from '../engine/loop/engine.ts';
import type { FactFeed } from './fact-feed.ts';

/** The time in which more facts come before their accounts' readers are woken. */
const GATHER_MS = 20;

/** The groups, as `WebhookOutbox` has them. */
export interface SettlingGroups {
  readonly settled: number;
  readonly groupsAt: number;
  settle(position: number): void;
  watch(isWatched: boolean): void;
}

export interface EventWaitsOptions {
  readonly engine: Pick<Engine, 'state'>;
  readonly feed: Pick<FactFeed, 'position'>;
  readonly groups: SettlingGroups;
}

export interface Wait {
  /** Up to this position a page has looked. */
  readonly through: number;
  readonly mostMs: number;
  /**
   * Called once, not in this turn: with true when the account has a fact that gives events behind `through`, or a group has
   * come, or when the node stops; with false after `mostMs`.
   */
  readonly told: (hasCome: boolean) => void;
}

/** Readers of one kind, by account. */
class Waiting {
  readonly #ofAccounts = new Map<number, Set<() => void>>();
  /** Accounts whose readers are woken soon. */
  readonly due = new Set<number>();
  count = 0;
  /** How far accounts were looked at. */
  seen = 0;

  add(accountId: number, wake: () => void): void {
    const waiting = this.#ofAccounts.get(accountId) ?? new Set();
    this.#ofAccounts.set(accountId, waiting.add(wake));
    this.count += 1;
  }

  /** False when it isn't there. */
  remove(accountId: number, wake: () => void): boolean {
    const waiting = this.#ofAccounts.get(accountId);
    if (waiting?.delete(wake) !== true) return false;
    this.count -= 1;
    if (waiting.size === 0) this.#ofAccounts.delete(accountId);
    return true;
  }

  readonly note = (accountId: number): void => {
    if (this.#ofAccounts.has(accountId)) this.due.add(accountId);
  };

  noteAll(): void {
    for (const accountId of this.#ofAccounts.keys()) this.due.add(accountId);
  }

  wakeDue(): void {
    const due = [...this.due];
    this.due.clear();
    for (const accountId of due) for (const wake of [...(this.#ofAccounts.get(accountId) ?? [])]) wake();
  }
}

export class EventWaits {
  readonly #options: EventWaitsOptions;
  /** Readers that don't want groups, and those that do. */
  readonly #own = new Waiting();
  readonly #all = new Waiting();
  #groupsAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: EventWaitsOptions) {
    this.#options = options;
    this.#own.seen = options.feed.position;
  }

  /** How many wait. */
  get count(): number {
    return this.#own.count + this.#all.count;
  }

  advance(position: number): void {
    this.#look(this.#own, position);
    // Groups may have settled before the journal was told to be there.
    if (this.#all.count > 0) this.settled();
  }

  settled(): void {
    const { feed, groups } = this.#options;
    this.#look(this.#all, Math.min(feed.position, groups.settled));
    if (groups.groupsAt <= this.#groupsAt) return;
    this.#groupsAt = groups.groupsAt;
    this.#all.noteAll();
    if (this.#all.count > 0) this.#plan();
  }

  /** Returns what ends the wait before that. */
  wait(accountId: number, wantsGroups: boolean, { through, mostMs, told }: Wait): () => void {
    const waiting = wantsGroups ? this.#all : this.#own;
    const hasCome = this.#hasCome(accountId, waiting, through);
    if (hasCome || this.#isStopping) {
      queueMicrotask(() => told(hasCome));
      return () => {};
    }
    const end = (hasWoken?: boolean) => {
      clearTimeout(timer);
      if (!waiting.remove(accountId, wake)) return;
      if (wantsGroups && waiting.count === 0) this.#options.groups.watch(false);
      if (hasWoken !== undefined) told(hasWoken);
    };
    const wake = () => end(true);
    const timer = setTimeout(end, mostMs, false);
    if (wantsGroups && waiting.count === 0) this.#options.groups.watch(true);
    waiting.add(accountId, wake);
    return () => end();
  }

  stop(): void {
    this.#isStopping = true;
    for (const waiting of [this.#own, this.#all]) waiting.noteAll();
    this.#wakeDue();
  }

  #hasCome(accountId: number, waiting: Waiting, through: number): boolean {
    if (waiting === this.#all && this.#options.groups.groupsAt > through) return true;
    for (const _ of this.#options.engine.state.events.of(accountId, through + 1, waiting.seen)) return true;
    return false;
  }

  #look(waiting: Waiting, position: number): void {
    if (waiting.count > 0) {
      this.#options.engine.state.events.tellAccounts(waiting.seen + 1, position, waiting.note);
      if (waiting.due.size > 0) this.#plan();
    }
    waiting.seen = Math.max(waiting.seen, position);
  }

  #plan(): void {
    this.#timer ??= setTimeout(() => this.#wakeDue(), GATHER_MS);
  }

  #wakeDue(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const waiting of [this.#own, this.#all]) waiting.wakeDue();
  }
}
