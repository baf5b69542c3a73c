/**
 * Facts that gave an account events, by account and position: where pages of `GET /events` find what to tell.
 *
 * Most of them move money, and have a row among the movements, which says its only event as well and takes no byte more
 * (`movements.ts`). The others have a row here: of an order that is completed its time and its order, as varints; else
 * nothing, and the fact is read.
 *
 * Invariant: an account's facts come in the order of their positions, each once. A row says nothing that its fact doesn't.
 */
import { ownEventsOf } from '../../engine/events/own-events.ts';
import type { Fact } from '../../engine/fact.ts';
import { type EventPlace, saleAt, TOLD } from '../../engine/recent/recent-events.ts';
import { ByteReader } from '../codec/byte-reader.ts';
import type { StoreReader, StoreRow } from '../store/store-reader.ts';
import { eventPlaceOf } from './movements.ts';
import type { RowBatches } from './row-batches.ts';
import { TABLES } from './tables.ts';

const MOVED = TABLES.movements;
const UNMOVED = TABLES.accountEvents;

/** A fact without a movement. */
export function takeAccountEvents(rows: RowBatches, fact: Fact, position: number): void {
  const [event, another] = ownEventsOf(fact);
  if (event === undefined) return;
  const { accountId, content } = event;
  const batch = rows.of(UNMOVED);
  if (another === undefined && content.type === 'order.completed') {
    batch.values.varint(fact.atMs);
    batch.values.varint(content.orderId);
  }
  batch.add(accountId, position);
}

/** The account's facts between these positions, both included. Not beyond this turn of the event loop. */
export function* accountEvents(
  store: StoreReader,
  accountId: number,
  from: number,
  through: number,
): IterableIterator<EventPlace> {
  const range = { fromA: accountId, fromB: from, toA: accountId, toB: through + 1 };
  const moved = store.range(MOVED, range);
  const unmoved = store.range(UNMOVED, range);
  let one = nextPlace(moved, eventPlaceOf);
  let other = nextPlace(unmoved, unmovedPlace);
  while (one !== undefined || other !== undefined) {
    if (one !== undefined && (other === undefined || one.position < other.position)) {
      yield one;
      one = nextPlace(moved, eventPlaceOf);
    } else if (other !== undefined) {
      yield other;
      other = nextPlace(unmoved, unmovedPlace);
    }
  }
}

/** The last of them up to this position. */
export function newestAccountEvents(
  store: StoreReader,
  accountId: number,
  through: number,
): EventPlace | undefined {
  const range = { fromA: accountId, fromB: through, toA: accountId, toB: -1, reverse: true };
  const moved = nextPlace(store.range(MOVED, range), eventPlaceOf);
  const unmoved = nextPlace(store.range(UNMOVED, range), unmovedPlace);
  if (moved === undefined || unmoved === undefined) return moved ?? unmoved;
  return moved.position > unmoved.position ? moved : unmoved;
}

type Read = (position: number, value: Uint8Array) => EventPlace | undefined;

function nextPlace(rows: Iterator<StoreRow>, read: Read): EventPlace | undefined {
  for (let row = rows.next(); row.done !== true; row = rows.next()) {
    const place = read(row.value.b, row.value.value);
    if (place !== undefined) return place;
  }
  return undefined;
}

function unmovedPlace(position: number, value: Uint8Array): EventPlace {
  if (value.length === 0) return saleAt(position, TOLD, 0);
  const input = new ByteReader(value);
  const atMs = input.varint();
  return saleAt(position, input.varint(), atMs);
}
