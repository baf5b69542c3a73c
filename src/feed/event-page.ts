/**
 * Pages of an account's events, as `GET /events` gives them: made of facts in the thread that reads the journal, so that a
 * page takes nothing from purchases.
 *
 * Where an account's events are say the checkpoint and, for what isn't folded yet, the main thread (`recent-events.ts`). Mostly
 * these say what the event is, too; other facts are read one by one. So a page costs by what it tells, and not by how long the
 * history is, nor by what others bought meanwhile.
 *
 * Invariant: events come in the order of their numbers, none is left out, and none twice. A page's
 * `last` is the last event that it looked at, one that the account has, also where its type wasn't wanted. An event that was never
 * given is told from one that is gone: too old, or taken back by a restore.
 */
import { ownEventsOf } from '../engine/events/own-events.ts';
import { type EventPlace, saleAt, TOLD } from '../engine/recent/recent-events.ts';
import { type Epoch, epochAt } from '../engine/recovery/epochs.ts';
import type { WebhookEventType } from '../engine/webhook.ts';
import { accountEvents, newestAccountEvents } from '../persistence/checkpoint/account-events.ts';
import { FactPicker } from '../persistence/journal/fact-picker.ts';
import type { LogReader } from '../persistence/journal/frame-log.ts';
import type { StoreReader } from '../persistence/store/store-reader.ts';
import { eventBody } from '../persistence/webhooks/event-body.ts';
import { type EventContent, eventNumber, placeOfEvent } from '../persistence/webhooks/event-row.ts';

/** A page ends after so many events of types that nobody wants, … */
const MOST_PASSED = 2_000;
/** … of which one counts for so many whose fact must be read. */
const COST_OF_FACT = 20;
/** … and one whose events are long, behind so many characters. */
const MOST_CHARS = 256 * 1024;

export interface EventQuestion {
  readonly accountId: number;
  /** The number of an event; 0 for the oldest that is kept. */
  readonly after: number | 'latest';
  /** Undefined for all. */
  readonly types: readonly WebhookEventType[] | undefined;
  readonly limit: number;
  /** Durable, and in the folder's journal. */
  readonly through: number;
  /** The checkpoint has what is up to here; behind it is `recent`. */
  readonly folded: number;
  /** See `packPlaces`. */
  readonly recent: Float64Array<ArrayBuffer>;
  /** There are more than those, behind them. */
  readonly hasMoreRecent: boolean;
  /** Facts before this time may be passed over. */
  readonly keptFromMs: number;
}

export interface EventPage {
  /** Bodies in JSON, in order. */
  readonly events: readonly string[];
  /** The number of the last event that was looked at; 0 when the account never had one. */
  readonly last: number;
  readonly hasMore: boolean;
  /** Up to this position all was looked at, unless there is more. */
  readonly through: number;
}

/** `unknown`: the event that the page should follow was never given. `gone`: what is behind it isn't all kept. */
export type EventAnswer = EventPage | 'unknown' | 'gone';

export interface EventSource {
  readonly store: StoreReader;
  readonly log: LogReader;
  readonly epochs: readonly Epoch[];
  /** The first position that is kept. */
  readonly kept: number;
}

interface Event {
  readonly number: number;
  readonly content: EventContent;
  readonly atMs: number;
  readonly cost: number;
}

export function eventPage(source: EventSource, question: EventQuestion): EventAnswer {
  const events = new AccountEvents(source, question);
  const { after, through } = question;
  if (after === 'latest') return { events: [], last: events.newest(), hasMore: false, through };
  if (after !== 0) {
    const refusal = events.refusalOf(after);
    if (refusal !== undefined) return refusal;
  }
  const page = collect(events.behind(after), question);
  if (page.last > 0) return page;
  return { ...page, last: after === 0 ? events.newest() : after };
}

function collect(events: Iterable<Event>, question: EventQuestion): EventPage {
  const { accountId, limit, through } = question;
  const types = question.types && new Set(question.types);
  const told: string[] = [];
  let last = 0;
  let chars = 0;
  let passed = 0;
  for (const { number, content, atMs, cost } of events) {
    if (told.length === limit || passed >= MOST_PASSED || chars >= MOST_CHARS)
      return { events: told, last, hasMore: true, through };
    last = number;
    if (types?.has(content.type) === false) {
      passed += cost;
      continue;
    }
    const body = eventBody({ accountId, number, content }, () => []);
    told.push(`${body.slice(0, -1)},"createdAt":${atMs}}`);
    chars += body.length;
  }
  return { events: told, last, hasMore: question.hasMoreRecent, through };
}

/** The events of the account that the question is about. */
class AccountEvents {
  readonly #source: EventSource;
  readonly #question: EventQuestion;
  readonly #recent: readonly EventPlace[];

  constructor(source: EventSource, question: EventQuestion) {
    this.#source = source;
    this.#question = question;
    this.#recent = unpackPlaces(question.recent);
  }

  /** The number of the last one; 0 when there is none. */
  newest(): number {
    const { accountId, folded } = this.#question;
    const place = this.#recent.at(-1) ?? newestAccountEvents(this.#source.store, accountId, folded);
    if (place === undefined) return 0;
    const last = this.#eventsAt(place, new FactPicker(this.#source.log)).at(-1);
    return last?.number ?? 0;
  }

  /** Why no page follows the event with this number, if none does. */
  refusalOf(number: number): 'unknown' | 'gone' | undefined {
    const { epochs, kept } = this.#source;
    const { epoch, position } = placeOfEvent(number);
    const epochNow = epochAt(epochs, position);
    if (epoch !== epochNow) return epoch < epochNow ? 'gone' : 'unknown';
    if (position > this.#question.through) return 'unknown';
    const picker = new FactPicker(this.#source.log);
    let isGiven = false;
    for (const place of this.#placesFrom(position)) {
      if (place.position > position) return isGiven && place.position < kept ? 'gone' : givenOr(isGiven);
      isGiven = this.#eventsAt(place, picker).some((event) => event.number === number);
      if (!isGiven || position >= kept) break;
    }
    return givenOr(isGiven);
  }

  /** Events with higher numbers. */
  *behind(number: number): IterableIterator<Event> {
    const from = number === 0 ? this.#source.kept : placeOfEvent(number).position;
    const picker = new FactPicker(this.#source.log);
    for (const place of this.#placesFrom(from))
      for (const event of this.#eventsAt(place, picker)) if (event.number > number) yield event;
  }

  *#placesFrom(position: number): IterableIterator<EventPlace> {
    const { accountId, folded } = this.#question;
    if (position <= folded) yield* accountEvents(this.#source.store, accountId, position, folded);
    for (const place of this.#recent) if (place.position >= position) yield place;
  }

  #eventsAt({ position, event }: EventPlace, picker: FactPicker): Event[] {
    const epoch = epochAt(this.#source.epochs, position);
    const numberOf = (type: WebhookEventType) => eventNumber(position, type, epoch);
    if (event !== undefined) return [{ ...event, number: numberOf(event.content.type), cost: 1 }];
    const fact = picker.pick(position);
    return ownEventsOf(fact).map(({ content }) => {
      return { number: numberOf(content.type), content, atMs: fact.atMs, cost: COST_OF_FACT };
    });
  }
}

function givenOr(isGiven: boolean): 'unknown' | undefined {
  return isGiven ? undefined : 'unknown';
}

/** Three numbers a place: where, and of a plain sale the order and its time, else zeros. */
export function packPlaces(places: readonly EventPlace[]): Float64Array<ArrayBuffer> {
  const packed = new Float64Array(places.length * 3);
  places.forEach(({ position, event }, index) => {
    const orderId = event?.content.type === 'order.completed' ? event.content.orderId : TOLD;
    packed.set([position, orderId, event?.atMs ?? 0], index * 3);
  });
  return packed;
}

function unpackPlaces(packed: Float64Array): EventPlace[] {
  const places: EventPlace[] = [];
  for (let at = 0; at < packed.length; at += 3) {
    const [position = 0, orderId = TOLD, atMs = 0] = packed.subarray(at, at + 3);
    places.push(saleAt(position, orderId, atMs));
  }
  return places;
}
