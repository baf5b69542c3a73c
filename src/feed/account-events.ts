/**
 * The events of one account: those that facts give by themselves, and the groups that it was told of, in one order.
 *
 * Where facts are that give some say the checkpoint and, for what isn't folded yet, the main thread (`recent-events.ts`).
 * Mostly these say what the event is, too; other facts are read one by one. Groups are read from `webhooks.mdb`, up to where
 * none can come any more: so no event comes up later with a lower number than one that was told.
 */
import { ownEventsOf } from '../engine/events/own-events.ts';
import type { EventPlace } from '../engine/recent/recent-events.ts';
import { type Epoch, epochAt } from '../engine/recovery/epochs.ts';
import type { WebhookEventType } from '../engine/webhook.ts';
import { accountEvents, newestAccountEvents } from '../persistence/checkpoint/account-events.ts';
import { FactPicker } from '../persistence/journal/fact-picker.ts';
import type { LogReader } from '../persistence/journal/frame-log.ts';
import type { StoreReader } from '../persistence/store/store-reader.ts';
import {
  type EventContent,
  eventNumber,
  firstNumberAt,
  isGroup,
  placeOfEvent,
} from '../persistence/webhooks/event-row.ts';
import type { GroupReader } from '../persistence/webhooks/groups/group-reader.ts';
import { type EventQuestion, unpackPlaces } from './event-question.ts';

/** An event whose fact was read counts for so many where it isn't wanted. */
const COST_OF_FACT = 20;
const NO_PRODUCTS: readonly number[] = [];

export interface EventSource {
  readonly store: StoreReader;
  readonly log: LogReader;
  readonly epochs: readonly Epoch[];
  /** The first position that is kept. */
  readonly kept: number;
  /** Undefined where nobody asks for them. */
  readonly groups:
    | (Pick<GroupReader, 'behind' | 'told' | 'newest'> & { readonly goneBelow: number })
    | undefined;
}

export interface ToldEvent {
  readonly number: number;
  readonly content: EventContent;
  /** The products that a group tells of. */
  readonly productIds: readonly number[];
  readonly atMs: number;
  readonly cost: number;
}

export class AccountEvents {
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
    const { accountId, folded, through } = this.#question;
    const { store, log, groups } = this.#source;
    const group = groups?.newest(accountId, this.#lastNumber(through))?.number ?? 0;
    const place = this.#recent.at(-1) ?? newestAccountEvents(store, accountId, Math.min(folded, through));
    const own = place && this.#eventsAt(place, new FactPicker(log)).at(-1);
    return Math.max(group, own?.number ?? 0);
  }

  /** Why no page follows the event with this number, if none does. */
  refusalOf(number: number): 'unknown' | 'gone' | undefined {
    const { epochs, groups } = this.#source;
    const { epoch, position } = placeOfEvent(number);
    const epochNow = epochAt(epochs, position);
    if (epoch !== epochNow) return epoch < epochNow ? 'gone' : 'unknown';
    if (position > this.#question.through) return 'unknown';
    // The last one that is gone itself: all behind it are there.
    if (groups !== undefined && number < groups.goneBelow - 1) return 'gone';
    return this.#isGiven(number) ? this.#refusalOfAge(position) : 'unknown';
  }

  /** Events with higher numbers. */
  *behind(number: number): IterableIterator<ToldEvent> {
    const { accountId } = this.#question;
    const from = number === 0 ? this.#firstKept - 1 : number;
    const own = this.#ownBehind(from);
    const groups = this.#groupsBehind(accountId, from);
    let one = own.next();
    let other = groups.next();
    while (one.done !== true || other.done !== true) {
      if (one.done !== true && (other.done === true || one.value.number < other.value.number)) {
        yield one.value;
        one = own.next();
      } else if (other.done !== true) {
        yield other.value;
        other = groups.next();
      }
    }
  }

  /** The lowest number that is kept. */
  get #firstKept(): number {
    const { kept, epochs, groups } = this.#source;
    return Math.max(firstNumberAt(kept, epochAt(epochs, kept)), groups?.goneBelow ?? 0);
  }

  *#ownBehind(number: number): IterableIterator<ToldEvent> {
    const picker = new FactPicker(this.#source.log);
    for (const place of this.#placesFrom(placeOfEvent(number).position))
      for (const event of this.#eventsAt(place, picker)) if (event.number > number) yield event;
  }

  *#groupsBehind(accountId: number, number: number): IterableIterator<ToldEvent> {
    const { hasMoreRecent, through } = this.#question;
    const last = this.#lastNumber(hasMoreRecent ? (this.#recent.at(-1)?.position ?? through) : through);
    for (const group of this.#source.groups?.behind(accountId, number) ?? []) {
      if (group.number > last) return;
      const { type, productIds, createdAtMs: atMs } = group;
      if (productIds.length > 0) yield { number: group.number, content: { type }, productIds, atMs, cost: 1 };
    }
  }

  #isGiven(number: number): boolean {
    const { accountId } = this.#question;
    const { groups, log } = this.#source;
    if (isGroup(number)) {
      const isLastGone = number + 1 === groups?.goneBelow;
      return isLastGone || (groups?.told(accountId, number)?.productIds.length ?? 0) > 0;
    }
    const { position } = placeOfEvent(number);
    const [place] = this.#placesFrom(position);
    if (place?.position !== position) return false;
    return this.#eventsAt(place, new FactPicker(log)).some((event) => event.number === number);
  }

  /** Events behind that position that aren't kept are gone; without them nothing is missing. */
  #refusalOfAge(position: number): 'gone' | undefined {
    if (position >= this.#source.kept) return undefined;
    for (const place of this.#placesFrom(position + 1))
      return place.position < this.#source.kept ? 'gone' : undefined;
    return undefined;
  }

  *#placesFrom(position: number): IterableIterator<EventPlace> {
    const { accountId, folded, through } = this.#question;
    const { store } = this.#source;
    const last = Math.min(folded, through);
    if (position <= last) yield* accountEvents(store, accountId, position, last);
    for (const place of this.#recent) if (place.position >= position) yield place;
  }

  #eventsAt({ position, event }: EventPlace, picker: FactPicker): ToldEvent[] {
    const epoch = epochAt(this.#source.epochs, position);
    const numberOf = (type: WebhookEventType) => eventNumber(position, type, epoch);
    const productIds = NO_PRODUCTS;
    if (event !== undefined) return [{ ...event, productIds, number: numberOf(event.content.type), cost: 1 }];
    const fact = picker.pick(position);
    return ownEventsOf(fact).map(({ content }) => {
      const number = numberOf(content.type);
      return { number, content, productIds, atMs: fact.atMs, cost: COST_OF_FACT };
    });
  }

  /** The highest number that an event of this position can have. */
  #lastNumber(position: number): number {
    return firstNumberAt(position + 1, epochAt(this.#source.epochs, position)) - 1;
  }
}
