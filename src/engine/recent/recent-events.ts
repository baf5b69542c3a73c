/**
 * Facts younger than the checkpoint that give an account events, in two generations: their positions, and of plain sales
 * all that the event says. The checkpoint has the older ones (`account-events.ts`).
 *
 * Columns, as of orders: each purchase writes four numbers, and leaves no object. An account's facts are looked for among
 * those of all, from a position on: a few microseconds for a buyer who has read the last ones, some hundred at the most.
 */
import { type OwnContent, ownEventsOf } from '../events/own-events.ts';
import type { Fact } from '../fact.ts';
import { Generations } from './generations.ts';
import { emptied, grown } from './kept-room.ts';

/** In place of an order: the fact must be read. */
export const TOLD = 0;
const FIRST_FACTS = 2 ** 11;

/** A fact that gives an account events, with the only one when that is known; else they are read from the fact. */
export interface EventPlace {
  readonly position: number;
  readonly event: { readonly content: OwnContent; readonly atMs: number } | undefined;
}

/** The place of a plain sale; of another fact when `orderId` is `TOLD`. */
export function saleAt(position: number, orderId: number, atMs: number): EventPlace {
  return {
    position,
    event: orderId === TOLD ? undefined : { content: { type: 'order.completed', orderId }, atMs },
  };
}

class EventList {
  size = 0;
  #positions = new Float64Array(FIRST_FACTS);
  #accounts = new Float64Array(FIRST_FACTS);
  #orders = new Float64Array(FIRST_FACTS);
  #times = new Float64Array(FIRST_FACTS);

  add(position: number, accountId: number, orderId: number, atMs: number): void {
    const index = this.size;
    if (index === this.#positions.length) this.#grow();
    this.#positions[index] = position;
    this.#accounts[index] = accountId;
    this.#orders[index] = orderId;
    this.#times[index] = atMs;
    this.size += 1;
  }

  clear(): void {
    this.#positions = emptied(this.#positions, this.size, FIRST_FACTS);
    this.#accounts = emptied(this.#accounts, this.size, FIRST_FACTS);
    this.#orders = emptied(this.#orders, this.size, FIRST_FACTS);
    this.#times = emptied(this.#times, this.size, FIRST_FACTS);
    this.size = 0;
  }

  *of(accountId: number, from: number, through: number): IterableIterator<EventPlace> {
    for (let index = this.#indexFrom(from); index < this.size; index += 1) {
      if (this.#accounts[index] !== accountId) continue;
      const position = this.#positions[index] ?? 0;
      if (position > through) return;
      yield saleAt(position, this.#orders[index] ?? TOLD, this.#times[index] ?? 0);
    }
  }

  newestOf(accountId: number, through: number): EventPlace | undefined {
    for (let index = this.size - 1; index >= 0; index -= 1) {
      const position = this.#positions[index] ?? 0;
      if (this.#accounts[index] === accountId && position <= through)
        for (const place of this.of(accountId, position, position)) return place;
    }
    return undefined;
  }

  tellAccounts(from: number, through: number, tell: (accountId: number) => void): void {
    for (let index = this.#indexFrom(from); index < this.size; index += 1) {
      if ((this.#positions[index] ?? 0) > through) return;
      tell(this.#accounts[index] ?? 0);
    }
  }

  /** The first one from this position on. */
  #indexFrom(position: number): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#positions[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow(): void {
    this.#positions = grown(this.#positions);
    this.#accounts = grown(this.#accounts);
    this.#orders = grown(this.#orders);
    this.#times = grown(this.#times);
  }
}

export class RecentEvents extends Generations<EventList> {
  constructor() {
    super(() => new EventList());
  }

  take(fact: Fact, position: number): void {
    if (fact.kind === 'OrderPlaced' && fact.thresholdUsdt === undefined) {
      const { accountId, orderId, status } = fact.order;
      if (status === 'completed') this.current.add(position, accountId, orderId, fact.atMs);
      return;
    }
    const [event] = ownEventsOf(fact);
    if (event !== undefined) this.current.add(position, event.accountId, TOLD, fact.atMs);
  }

  /** The account's facts between these positions, both included, in order. */
  *of(accountId: number, from: number, through: number): IterableIterator<EventPlace> {
    yield* this.older.of(accountId, from, through);
    yield* this.current.of(accountId, from, through);
  }

  newestOf(accountId: number, through: number): EventPlace | undefined {
    return this.current.newestOf(accountId, through) ?? this.older.newestOf(accountId, through);
  }

  /** Tells the account of each fact between these positions, both included. */
  tellAccounts(from: number, through: number, tell: (accountId: number) => void): void {
    this.older.tellAccounts(from, through, tell);
    this.current.tellAccounts(from, through, tell);
  }
}
