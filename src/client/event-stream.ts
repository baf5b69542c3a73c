/**
 * The account's events, one after the other, for ever (GET /events); no webhook is needed.
 *
 * Invariant: the place moves past an event when the next one is asked for, so when the program has dealt with it. After
 * a crash the event under way comes again, and none is left out.
 */
import type { ApiCaller, CallOptions } from './api-caller.ts';
import { replaceText, textOf } from './line-file.ts';
import type { ReadEvent } from './webhook-event.ts';

/** Where to go on. Write your own to keep it in the database that has what you made of the events. */
export interface EventPlace {
  /** Null at first. */
  load(): Promise<string | null>;
  /** Resolves when it is stored for good. Null: from the oldest event again. */
  save(eventId: string | null): Promise<void>;
}

export interface PlaceFile {
  /** The path of a file, which is replaced at each event. */
  readonly file: string;
}

export interface EventsOptions extends CallOptions {
  /** Default: none is kept, and it begins at `after`. */
  readonly place?: EventPlace | PlaceFile;
  /** Without a place: the event after which it begins; `latest`: with what happens from now on; default: with the oldest. */
  readonly after?: string;
  /** Default: all. */
  readonly types?: readonly string[];
  /** How many are asked for at once; default 100. */
  readonly limit?: number;
  /** How long a request waits for an event; default 20 s. With 0 it ends with the newest event. */
  readonly waitSeconds?: number;
}

interface EventPage {
  readonly events: readonly ReadEvent[];
  readonly lastEventId: string | null;
  readonly hasMore: boolean;
}

const LIMIT = 100;
const WAIT_SECONDS = 20;
/** Between two requests that had events, or those of a busy account use up its limit of requests. */
const REST_MS = 1_000;

export class EventStream implements AsyncIterable<ReadEvent> {
  readonly #caller: ApiCaller;
  readonly #timeoutMs: number;
  readonly #options: EventsOptions;
  readonly #place: EventPlace;

  constructor(caller: ApiCaller, timeoutMs: number, options: EventsOptions) {
    this.#caller = caller;
    this.#timeoutMs = timeoutMs;
    this.#options = options;
    this.#place = placeOf(options);
  }

  /**
   * Throws a `PurserError`; iterate again to go on. `EVENTS_GONE`: the events after the place are not there any more.
   * Read catalog and orders, `place.save(null)`, and iterate again.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<ReadEvent, void, void> {
    let after = await this.#place.load();
    for (;;) {
      const { events, lastEventId, hasMore } = await this.#page(after);
      for (const event of events) {
        yield event;
        after = event.eventId;
        await this.#place.save(after);
      }
      if (lastEventId !== after) {
        // Null: there never was an event, so the first one to come is the oldest.
        after = lastEventId;
        await this.#place.save(after);
      }
      if (hasMore) continue;
      if (this.#options.waitSeconds === 0) return;
      if (events.length > 0) await this.#rest();
    }
  }

  #rest(): Promise<void> {
    return this.#caller.sleep(REST_MS, this.#options.signal, { attempts: 0, isCharged: false });
  }

  #page(after: string | null): Promise<EventPage> {
    const { types, limit = LIMIT, waitSeconds = WAIT_SECONDS, signal } = this.#options;
    const query = [`limit=${limit}`, `wait=${waitSeconds}`];
    if (after !== null) query.push(`after=${encodeURIComponent(after)}`);
    if (types !== undefined) query.push(`types=${types.map(encodeURIComponent).join(',')}`);
    const path = `/events?${query.join('&')}`;
    const timeoutMs = this.#timeoutMs + waitSeconds * 1_000;
    return this.#caller.json({ method: 'GET', path, timeoutMs }, signal === undefined ? {} : { signal });
  }
}

function placeOf({ place, after }: EventsOptions): EventPlace {
  if (place !== undefined) return 'file' in place ? placeIn(place.file) : place;
  let eventId = after ?? null;
  return {
    load: async () => eventId,
    save: async (newer) => {
      eventId = newer;
    },
  };
}

function placeIn(file: string): EventPlace {
  return {
    load: async () => (await textOf(file)).trim() || null,
    save: (eventId) => replaceText(file, eventId ?? ''),
  };
}
