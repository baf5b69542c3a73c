/**
 * Movements of an account's wallet: a row for each, by account and by the position of its fact.
 *
 * A row: kind and what it has (1), then as varints: time, amount, wallet after it, order; then a text of what few have.
 * Times are Unix milliseconds, amounts micro-USDT. The first byte also says whether the fact gave the account events
 * (`account-events.ts`).
 */
import { isDeepStrictEqual } from 'node:util';
import {
  MONEY_KINDS,
  type MoneyChange,
  type Mover,
  walletChangeMicros,
} from '../../engine/apply/money-change.ts';
import { type OwnContent, ownEventsOf } from '../../engine/events/own-events.ts';
import type { Fact } from '../../engine/fact.ts';
import type { EventPlace } from '../../engine/recent/recent-events.ts';
import type { State } from '../../engine/state.ts';
import { NO_ORDER } from '../../engine/supplying/supplier-purchases.ts';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import { signed, unsigned } from '../codec/varint.ts';
import type { StoreReader } from '../store/store-reader.ts';
import { type Place, positionOf } from './places.ts';
import type { RowBatches } from './row-batches.ts';
import { TABLES } from './tables.ts';

const KIND_BITS = 0x0f;
const HAS_ORDER = 0x10;
const HAS_DETAILS = 0x20;
/** The fact gave the account events: one, which follows from the row (`eventOf`), or others. */
const HAS_EVENT = 0x40;
const HAS_EVENTS = 0x80;

export interface Movement
  extends Omit<MoneyChange, 'accountId' | 'productId' | 'amountMicros'>,
    Mover,
    Place {
  /** The change of the wallet, in micro-USDT; negative when it was charged. */
  readonly changeMicros: number;
  /** The wallet after it. */
  readonly balanceMicros: number;
}

/** Details that few movements have. */
interface Details extends Mover {
  readonly reference: string;
}

/** Before an account's first movement. */
const NOTHING = { seq: 0, balanceMicros: 0 };

/** The state is the one after the fact, and `change` what the fact moves. False when there is no row of it. */
export function takeMovement(
  rows: RowBatches,
  fact: Fact,
  change: MoneyChange,
  position: number,
  { accounts }: State,
): boolean {
  // A capture leaves the wallet as it is.
  if (change.kind === 'capture') return false;
  const { accountId, amountMicros, orderId, kind, reference } = change;
  const { operatorId, reason } = fact.origin ?? {};
  // A buyer's requests have an origin, too, and nothing to say of it here.
  const mover = operatorId === undefined ? {} : { operatorId, ...(reason === undefined ? {} : { reason }) };
  const hasDetails = reference !== '' || operatorId !== undefined;
  const balanceMicros = accounts.get(accountId)?.walletMicros ?? 0;
  const batch = rows.of(TABLES.movements);
  const out = batch.values;
  out.byte(
    MONEY_KINDS.indexOf(kind) |
      (orderId === NO_ORDER ? 0 : HAS_ORDER) |
      (hasDetails ? HAS_DETAILS : 0) |
      eventBits(fact, change, balanceMicros),
  );
  out.varint(fact.atMs);
  out.varint(Math.abs(amountMicros));
  out.varint(signed(balanceMicros));
  if (orderId !== NO_ORDER) out.varint(orderId);
  if (hasDetails) out.text(JSON.stringify({ reference, ...mover } satisfies Details));
  batch.add(accountId, position);
  return true;
}

/** The account's last movement before `toMs`: its sequence, and the wallet after it. Zeros when there is none. */
export function lastMovementBefore(
  store: StoreReader,
  accountId: number,
  toMs: number,
): { readonly seq: number; readonly balanceMicros: number } {
  const end = positionIn(store, accountId, { atMs: toMs, seq: 0 });
  const range = { fromA: accountId, fromB: end - 1, toA: accountId, toB: -1, reverse: true };
  for (const { b, value } of store.range(TABLES.movements, range)) return readMovement(b, value);
  return NOTHING;
}

/**
 * The account's movements behind `after` and before `toMs`, oldest first. Reads a row when it is asked for the next
 * movement: not beyond this turn of the event loop.
 */
export function* movementsBehind(
  store: StoreReader,
  accountId: number,
  after: Place,
  toMs: number,
): IterableIterator<Movement> {
  const first = positionIn(store, accountId, after) + (after.seq === 0 ? 0 : 1);
  for (const { b, value } of store.range(TABLES.movements, from(accountId, first))) {
    const movement = readMovement(b, value);
    if (movement.atMs >= toMs) return;
    yield movement;
  }
}

type Moved = Pick<Movement, 'kind' | 'orderId' | 'balanceMicros' | 'reference'> &
  Pick<MoneyChange, 'amountMicros'>;

/** The event that a fact gives whose movement this is, unless it gives another one, or several. */
function eventOf({ kind, orderId, amountMicros, balanceMicros, reference }: Moved): OwnContent | undefined {
  switch (kind) {
    case 'purchase':
      return { type: 'order.completed', orderId };
    case 'return':
      return { type: 'order.failed', orderId };
    case 'refund':
      return { type: 'order.refunded', orderId, amountMicros, refundedMicros: amountMicros };
    case 'credit':
    case 'deposit':
      return { type: 'balance.credited', amountMicros, balanceMicros, reference };
    default:
      return undefined;
  }
}

function eventBits(fact: Fact, change: MoneyChange, balanceMicros: number): number {
  // Nearly all facts are such purchases: no event is made of them.
  if (fact.kind === 'OrderPlaced' && fact.thresholdUsdt === undefined)
    return fact.order.status === 'completed' ? HAS_EVENT : 0;
  const [event, another] = ownEventsOf(fact);
  if (event === undefined) return 0;
  return another === undefined && isDeepStrictEqual(event.content, eventOf({ ...change, balanceMicros }))
    ? HAS_EVENT
    : HAS_EVENTS;
}

/** The events that the row's fact gave the account; undefined when it gave none. */
export function eventPlaceOf(position: number, value: Uint8Array): EventPlace | undefined {
  const tag = value[0] ?? 0;
  if ((tag & HAS_EVENTS) !== 0) return { position, event: undefined };
  if ((tag & HAS_EVENT) === 0) return undefined;
  const { atMs, changeMicros: amountMicros, ...moved } = readMovement(position, value);
  const content = eventOf({ ...moved, amountMicros: Math.abs(amountMicros) });
  if (content === undefined) throw new DamagedDataError('a movement has an event that it cannot have');
  return { position, event: { content, atMs } };
}

function positionIn(store: StoreReader, accountId: number, place: Place): number {
  return positionOf(place, store.list.position, (position) => {
    for (const { b, value } of store.range(TABLES.movements, from(accountId, position)))
      return readMovement(b, value).atMs;
    return undefined;
  });
}

function from(accountId: number, position: number) {
  return { fromA: accountId, fromB: position, toA: accountId + 1 };
}

function readMovement(seq: number, value: Uint8Array): Movement {
  const input = new ByteReader(value);
  const tag = input.byte();
  const kind = MONEY_KINDS[tag & KIND_BITS];
  if (kind === undefined) throw new DamagedDataError('a movement has an unknown kind');
  const atMs = input.varint();
  const amountMicros = kind === 'adjustment' ? -input.varint() : input.varint();
  const balanceMicros = unsigned(input.varint());
  const orderId = tag & HAS_ORDER ? input.varint() : NO_ORDER;
  const details: Details = tag & HAS_DETAILS ? JSON.parse(input.text()) : { reference: '' };
  const changeMicros = walletChangeMicros({ kind, amountMicros });
  return { seq, atMs, kind, changeMicros, balanceMicros, orderId, ...details };
}
