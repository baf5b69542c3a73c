/**
 * Buyers' events as the main thread sees them: where the newest ones are, a page of them from the thread that makes it, and
 * who waits for the next one.
 *
 * Invariant: nothing is told that isn't durable and in the folder's journal. Readers that wait are looked for when a group
 * is, by the accounts of its facts, and only while somebody waits: else a purchase pays for one comparison a group. They are
 * woken some milliseconds later, with all that came meanwhile.
 */
import type { Engine } from '../engine/loop/engine.ts';
import type { WebhookEventType } from '../engine/webhook.ts';
import type { Checkpointer } from '../persistence/checkpoint/checkpointer.ts';
import { placeOfEvent } from '../persistence/webhooks/event-row.ts';
import { type EventAnswer, packPlaces } from './event-page.ts';
import type { FactFeed } from './fact-feed.ts';

/** Events are kept for so long, and then as long as it suits. */
export const EVENTS_KEPT_MS = 30 * 24 * 3_600_000;
/** Facts that aren't folded yet and go to the thread for a page: more are left to the next one. */
const MOST_RECENT = 2_000;
/** The time in which more facts come before their accounts' readers are woken. */
const GATHER_MS = 20;

export interface BuyerEventsOptions {
  readonly engine: Pick<Engine, 'state'>;
  readonly checkpointer: Pick<Checkpointer, 'position'>;
  readonly feed: Pick<FactFeed, 'position' | 'events'>;
  /** Unix milliseconds. */
  readonly clock: () => number;
}

export interface WantedEvents {
  readonly accountId: number;
  /** See `EventQuestion`. */
  readonly after: number | 'latest';
  readonly types: readonly WebhookEventType[] | undefined;
  readonly limit: number;
}

export class BuyerEvents {
  readonly #options: BuyerEventsOptions;
  /** Readers that wait, by account. */
  readonly #waiting = new Map<number, Set<() => void>>();
  #waits = 0;
  /** How far accounts were looked at for those who wait. */
  #seen: number;
  /** Accounts with facts, whose readers are woken soon. */
  #due = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: BuyerEventsOptions) {
    this.#options = options;
    this.#seen = options.feed.position;
  }

  /** How many wait. */
  get waits(): number {
    return this.#waits;
  }

  /** `busy` when too many ask, or the node stops. Rejects when the journal or the checkpoint can't be read. */
  page({ accountId, after, types, limit }: WantedEvents): Promise<EventAnswer | 'busy'> {
    return this.#options.feed.events(() => {
      const { engine, checkpointer, feed, clock } = this.#options;
      const folded = checkpointer.position;
      const through = feed.position;
      const from = after === 'latest' || after === 0 ? 0 : placeOfEvent(after).position;
      const { events } = engine.state;
      const newest = after === 'latest' ? events.newestOf(accountId, through) : undefined;
      const places = newest === undefined ? [] : [newest];
      let hasMoreRecent = false;
      if (after !== 'latest') {
        for (const place of events.of(accountId, Math.max(from, folded + 1), through)) {
          if (places.length === MOST_RECENT) {
            hasMoreRecent = true;
            break;
          }
          places.push(place);
        }
      }
      const recent = packPlaces(places);
      const keptFromMs = clock() - EVENTS_KEPT_MS;
      return { accountId, after, types, limit, through, folded, recent, hasMoreRecent, keptFromMs };
    });
  }

  /** The folder's journal has what is durable up to here. Cheap: call it for every group. */
  advance(position: number): void {
    if (this.#waits > 0) {
      this.#options.engine.state.events.tellAccounts(this.#seen + 1, position, (accountId) => {
        if (this.#waiting.has(accountId)) this.#due.add(accountId);
      });
      if (this.#due.size > 0) this.#timer ??= setTimeout(() => this.#wakeDue(), GATHER_MS);
    }
    this.#seen = position;
  }

  /**
   * Calls `told` once, not in this turn: with true when the account has a fact that gives events behind `through`, up to
   * which a page has looked, or when the node stops; with false after so many milliseconds. Returns what ends the wait
   * before that.
   */
  wait(accountId: number, through: number, mostMs: number, told: (hasCome: boolean) => void): () => void {
    for (const _ of this.#options.engine.state.events.of(accountId, through + 1, this.#seen)) {
      queueMicrotask(() => told(true));
      return () => {};
    }
    if (this.#isStopping) {
      queueMicrotask(() => told(false));
      return () => {};
    }
    const end = (hasCome?: boolean) => {
      clearTimeout(timer);
      const waiting = this.#waiting.get(accountId);
      if (waiting?.delete(wake) !== true) return;
      this.#waits -= 1;
      if (waiting.size === 0) this.#waiting.delete(accountId);
      if (hasCome !== undefined) told(hasCome);
    };
    const wake = () => end(true);
    const timer = setTimeout(end, mostMs, false);
    const waiting = this.#waiting.get(accountId) ?? new Set();
    this.#waiting.set(accountId, waiting);
    waiting.add(wake);
    this.#waits += 1;
    return () => end();
  }

  /** Readers that wait are answered now, with what there is. */
  stop(): void {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    for (const accountId of [...this.#waiting.keys()]) this.#wake(accountId);
  }

  #wakeDue(): void {
    const due = this.#due;
    this.#due = new Set();
    this.#timer = undefined;
    for (const accountId of due) this.#wake(accountId);
  }

  #wake(accountId: number): void {
    for (const wake of [...(this.#waiting.get(accountId) ?? [])]) wake();
  }
}
