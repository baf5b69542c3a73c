/**
 * Buyers' events as the main thread sees them: where the newest ones are, and a page of them from the thread that makes it.
 *
 * Invariant: nothing is told that isn't durable and in the folder's journal, nor what groups haven't settled behind, unless
 * nobody asks for groups. Groups are made beside purchases, so a page that has them waits a moment until they have come up to
 * what is durable, and goes without the rest then.
 */
import type { EventPlace } from '../engine/recent/recent-events.ts';
import type { WebhookEventType } from '../engine/webhook.ts';
import type { Checkpointer } from '../persistence/checkpoint/checkpointer.ts';
import { isGroupType, placeOfEvent } from '../persistence/webhooks/event-row.ts';
import { type EventAnswer, type EventQuestion, packPlaces } from './event-question.ts';
import { EventWaits, type EventWaitsOptions } from './event-waits.ts';
import type { FactFeed } from './fact-feed.ts';

/** Events are kept for so long, and then as long as it suits. */
export const EVENTS_KEPT_MS = 30 * 24 * 3_600_000;
/** Facts that aren't folded yet and go to the thread for a page: more are left to the next one. */
const MOST_RECENT = 2_000;
/** How long a page waits for groups: long enough that who has just bought sees it also on a machine that is busy. */
const SETTLE_MS = 2_000;

export interface BuyerEventsOptions extends EventWaitsOptions {
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
  readonly #waits: EventWaits;
  /** Pages that wait until groups have settled. */
  readonly #settling = new Set<() => void>();

  constructor(options: BuyerEventsOptions) {
    this.#options = options;
    this.#waits = new EventWaits(options);
  }

  /** How many wait. */
  get waits(): number {
    return this.#waits.count;
  }

  /** `busy` when too many ask, or the node stops. Rejects when the journal, the checkpoint or groups can't be read. */
  async page(wanted: WantedEvents): Promise<EventAnswer | 'busy'> {
    const hasGroups = asksForGroups(wanted);
    if (hasGroups) await this.#settle();
    return this.#options.feed.events(() => this.#question(wanted, hasGroups));
  }

  /** See `EventWaits`. */
  wait(wanted: WantedEvents, through: number, mostMs: number, told: (hasCome: boolean) => void): () => void {
    return this.#waits.wait(wanted.accountId, asksForGroups(wanted), { through, mostMs, told });
  }

  /** The folder's journal has what is durable up to here. Cheap: call it for every group. */
  advance(position: number): void {
    this.#waits.advance(position);
  }

  /** Groups have settled further. */
  readonly settled = (): void => {
    for (const go of [...this.#settling]) go();
    this.#waits.settled();
  };

  /** Whoever waits is answered now, with what there is. */
  stop(): void {
    this.#waits.stop();
  }

  #question({ accountId, after, types, limit }: WantedEvents, hasGroups: boolean): EventQuestion {
    const { engine, checkpointer, feed, groups, clock } = this.#options;
    const folded = checkpointer.position;
    const through = hasGroups ? Math.min(feed.position, groups.settled) : feed.position;
    const { events } = engine.state;
    let places: EventPlace[] = [];
    let hasMoreRecent = false;
    if (after === 'latest') {
      const newest = events.newestOf(accountId, through);
      places = newest === undefined ? [] : [newest];
    } else {
      for (const place of events.of(accountId, Math.max(placeOfEvent(after).position, folded + 1), through)) {
        hasMoreRecent = places.length === MOST_RECENT;
        if (hasMoreRecent) break;
        places.push(place);
      }
    }
    const keptFromMs = clock() - EVENTS_KEPT_MS;
    const recent = packPlaces(places);
    return { accountId, after, types, hasGroups, limit, through, folded, recent, hasMoreRecent, keptFromMs };
  }

  /** Until groups have settled up to what is durable now, or for a moment at most. */
  #settle(): Promise<void> | undefined {
    const { feed, groups } = this.#options;
    const { position } = feed;
    if (groups.settled >= position) return undefined;
    groups.settle(position);
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#settling.delete(go);
        resolve();
      };
      const go = () => {
        if (groups.settled >= position) end();
      };
      const timer = setTimeout(end, SETTLE_MS);
      this.#settling.add(go);
    });
  }
}

function asksForGroups({ types }: Pick<WantedEvents, 'types'>): boolean {
  return types === undefined || types.some(isGroupType);
}
