/**
 * A row of an account's movements: the changes of the wallet, in the order of the facts, some 140 to a row.
 *
 * 0 first: time (8), sequence (8) 16 wallet before it (8) 24 last: time (8), sequence (8) 40 wallet after it (8) 48 the
 * movements: kind and what it has (1), then varints: sequence and time since the one before, amount, order, operator
 *
 * Times are Unix milliseconds, amounts micro-USDT. Invariant: a row proves itself, for its movements lead from the
 * wallet before to the wallet after; and a statement begins anywhere, for the row says the wallet before. Rejected: a
 * row a movement, which costs the fold more than the order itself; and the positions alone, for a statement would have
 * to read the journal all over.
 */
import {
  MONEY_KINDS,
  type MoneyChange,
  type Mover,
  walletChangeMicros,
} from '../../../engine/apply/money-change.ts';
import { NO_ORDER } from '../../../engine/supplying/supplier-purchases.ts';
import { ByteReader, DamagedDataError } from '../../codec/byte-reader.ts';
import { ByteWriter } from '../../codec/byte-writer.ts';
import { numbersKey } from '../../codec/number-key.ts';

/** A page of the file takes two full rows. */
const MAX_ROW_BYTES = 1_900;
const NUMBER_BYTES = 8;
const LAST_OFFSET = 3 * NUMBER_BYTES;
const HEAD_BYTES = 6 * NUMBER_BYTES;
const INITIAL_BYTES = 256;

/** A movement as rows of numbers have it: sequence, time, the kind's place in `MONEY_KINDS`, amount, order. */
export const MOVEMENT_COLUMNS = 5;
/** The kind of change that is no movement: its row of numbers is passed over. */
export const CAPTURE = MONEY_KINDS.indexOf('capture');

const KIND_BITS = 0x0f;
const HAS_ORDER = 0x10;
const HAS_REFERENCE = 0x20;
const HAS_OPERATOR = 0x40;
const HAS_REASON = 0x80;

/** A place in an account's movements, or in the audit: before all of the time `atMs` when `seq` is 0. */
export interface Place {
  readonly atMs: number;
  readonly seq: number;
}

export interface Movement
  extends Omit<MoneyChange, 'accountId' | 'productId' | 'amountMicros'>,
    Mover,
    Place {
  /** The change of the wallet, in micro-USDT; negative when it was charged. */
  readonly changeMicros: number;
  /** The wallet after it. */
  readonly balanceMicros: number;
}

/** Details that few movements have beside their numbers. */
export interface MovementDetails {
  readonly reference: string;
  readonly operatorId: number | undefined;
  readonly reason: string | undefined;
}

const NO_DETAILS: MovementDetails = { reference: '', operatorId: undefined, reason: undefined };

export interface MovementRowHead {
  readonly first: Place;
  readonly balanceBeforeMicros: number;
  readonly last: Place;
  readonly balanceAfterMicros: number;
}

/** The key of a full row. */
export function movementKey(accountId: number, { atMs, seq }: Place): Buffer {
  return numbersKey(accountId, atMs, seq);
}

/**
 * The key of the account's last row, which isn't full yet. Last rows of all accounts lie side by side, behind the full
 * ones: every fold writes them anew, and beside its account's full ones each would take a page of its own with it.
 */
export function lastRowKey(accountId: number): Buffer {
  return numbersKey(Number.MAX_SAFE_INTEGER, accountId);
}

export function readMovementHead(payload: Buffer): MovementRowHead {
  if (payload.length < HEAD_BYTES) throw new DamagedDataError('a row of movements is cut short');
  const number = (index: number) => payload.readDoubleLE(index * NUMBER_BYTES);
  return {
    first: { atMs: number(0), seq: number(1) },
    balanceBeforeMicros: number(2),
    last: { atMs: number(3), seq: number(4) },
    balanceAfterMicros: number(5),
  };
}

/** Oldest first. Throws `DamagedDataError` when they don't come to what the row's head says. */
export function* movementsOf(payload: Buffer): IterableIterator<Movement> {
  const { first, balanceBeforeMicros, last, balanceAfterMicros } = readMovementHead(payload);
  const input = new ByteReader(payload, HEAD_BYTES);
  let { atMs, seq } = first;
  let balanceMicros = balanceBeforeMicros;
  while (!input.isAtEnd) {
    const tag = input.byte();
    const kind = MONEY_KINDS[tag & KIND_BITS];
    if (kind === undefined) throw new DamagedDataError('a row of movements has an unknown kind');
    seq += input.varint();
    atMs += input.varint();
    const amountMicros = kind === 'adjustment' ? -input.varint() : input.varint();
    const orderId = tag & HAS_ORDER ? input.varint() : NO_ORDER;
    const operatorId = tag & HAS_OPERATOR ? input.varint() : undefined;
    const reference = tag & HAS_REFERENCE ? input.text() : '';
    const reason = tag & HAS_REASON ? input.text() : undefined;
    const changeMicros = walletChangeMicros({ kind, amountMicros });
    balanceMicros += changeMicros;
    const mover = {
      ...(operatorId === undefined ? {} : { operatorId }),
      ...(reason === undefined ? {} : { reason }),
    };
    yield { seq, atMs, kind, changeMicros, balanceMicros, orderId, reference, ...mover };
  }
  if (seq !== last.seq || atMs !== last.atMs || balanceMicros !== balanceAfterMicros) {
    throw new DamagedDataError(`the movements up to fact ${last.seq} do not come to its balance`);
  }
}

/** An account's last row, as it is filled. */
export class OpenMovementRow {
  readonly #out = new ByteWriter(INITIAL_BYTES);
  #first: Place | undefined;
  #lastAtMs = 0;
  #lastSeq = 0;
  #balanceMicros = 0;
  /** Whether it has what was not encoded yet. */
  isChanged = false;

  /** `payload` is the account's last row so far; without one it has none. */
  constructor(payload?: Buffer) {
    if (payload === undefined) {
      this.#begin(0);
      return;
    }
    const { first, last, balanceAfterMicros } = readMovementHead(payload);
    this.#out.bytes(payload);
    this.#first = first;
    this.#lastAtMs = last.atMs;
    this.#lastSeq = last.seq;
    this.#balanceMicros = balanceAfterMicros;
  }

  /** Where the row begins; undefined while it is empty. */
  get first(): Place | undefined {
    return this.#first;
  }

  get isFull(): boolean {
    return this.#out.length >= MAX_ROW_BYTES;
  }

  /** The row behind a full one. A movement must follow: until then what is on disk is the full one. */
  startAnew(): void {
    this.#begin(this.#balanceMicros);
  }

  /** `kind` is its place in `MONEY_KINDS`. */
  add(
    seq: number,
    atMs: number,
    kind: number,
    amountMicros: number,
    orderId: number,
    details: MovementDetails | undefined,
  ): void {
    if (this.#first === undefined) {
      this.#first = { atMs, seq };
      this.#lastAtMs = atMs;
      this.#lastSeq = seq;
    }
    const { reference, operatorId, reason } = details ?? NO_DETAILS;
    const out = this.#out;
    out.byte(
      kind |
        (orderId === NO_ORDER ? 0 : HAS_ORDER) |
        (reference === '' ? 0 : HAS_REFERENCE) |
        (operatorId === undefined ? 0 : HAS_OPERATOR) |
        (reason === undefined ? 0 : HAS_REASON),
    );
    out.varint(seq - this.#lastSeq);
    out.varint(atMs - this.#lastAtMs);
    out.varint(Math.abs(amountMicros));
    if (orderId !== NO_ORDER) out.varint(orderId);
    if (operatorId !== undefined) out.varint(operatorId);
    if (reference !== '') out.text(reference);
    if (reason !== undefined) out.text(reason);
    this.#lastAtMs = atMs;
    this.#lastSeq = seq;
    this.#balanceMicros += walletChangeMicros({ kind: MONEY_KINDS[kind] ?? 'credit', amountMicros });
    this.isChanged = true;
  }

  /** Valid until something is added. */
  encode(): Buffer {
    this.isChanged = false;
    const payload = this.#out.view();
    const { atMs = 0, seq = 0 } = this.#first ?? {};
    payload.writeDoubleLE(atMs, 0);
    payload.writeDoubleLE(seq, NUMBER_BYTES);
    const last = [this.#lastAtMs, this.#lastSeq, this.#balanceMicros];
    for (const [index, value] of last.entries()) {
      payload.writeDoubleLE(value, LAST_OFFSET + index * NUMBER_BYTES);
    }
    return payload;
  }

  #begin(balanceMicros: number): void {
    this.#out.reset();
    this.#out.number(0);
    this.#out.number(0);
    this.#out.number(balanceMicros);
    this.#out.skip(HEAD_BYTES - LAST_OFFSET);
    this.#first = undefined;
  }
}
