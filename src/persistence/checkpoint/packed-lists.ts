/**
 * Lists of ascending numbers by an owner's id, such as an account's orders: many to a row, as differences.
 *
 * A list that has any entry has a last row; its other rows are full and never change. A full row's key is the list's
 * kind, the owner, and the row's first number, so a number is found by one look-up from above. The last rows of all
 * lists lie side by side, for every fold writes them anew: beside the full ones of its owner, each would take a page of
 * its own with it. Invariant: the rows of a list don't overlap. An entry of some kinds has more numbers than its own;
 * these are stored as differences to those of the entry before. Rejected: a row for each entry, which costs the fold
 * more than the order itself.
 */
import { BrokenInvariantError } from '../../engine/apply/broken-invariant.ts';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import { readNumberKey, writeNumberKey } from '../codec/number-key.ts';
import { rowChecksum } from '../codec/row-checksum.ts';
import { unseal } from '../codec/sealed-row.ts';
import { MAX_VARINT_BYTES, signed, unsigned, writeVarint } from '../codec/varint.ts';
import type { Table } from '../lmdb/lmdb-environment.ts';

/** A row stays far below a page of LMDB. */
export const ENTRIES_PER_ROW = 256;
const KEY_BYTES = 17;
const ID_OFFSET = 1;
const FIRST_OFFSET = 9;
/** A bit in the key of a last row, beside the kind. */
const LAST_ROW = 0x80;
/** A row begins with how many entries it has, its first number, and its last entry, which the next is packed against. */
const FIRST_BEGINS = 4;
const LAST_BEGINS = 12;
const NUMBER_BYTES = 8;

export interface ListKind {
  /** The first byte of its keys, below 128. Never changes its meaning. */
  readonly tag: number;
  /** How many numbers an entry has: the one that ascends, and those beside. */
  readonly columns: number;
}

/** The entries of one row, one behind the other, `columns` numbers each. */
export interface PackedRow {
  readonly first: number;
  readonly entries: Float64Array;
}

/** Last rows that are kept between two folds; an account's takes less than a kilobyte. */
const MAX_KEPT = 4_096;
/** Within a fold, of however many lists. */
const MAX_OPEN = 16_384;
const FIRST_BYTES = 128;
/** Bytes that an entry of three columns takes at most, and the checksum. */
const SPARE_BYTES = 3 * MAX_VARINT_BYTES + 4;

/** The last row of a list, as it grows. */
interface Tail {
  /** The key, then the payload: so they are summed up in one piece. */
  bytes: Buffer;
  length: number;
  count: number;
  first: number;
  readonly last: number[];
  isChanged: boolean;
}

/**
 * Adds to the lists of one kind, inside a transaction. Last rows are kept from fold to fold, because nearly all the work
 * would be to find and read them again; a fold that failed must not be used any more.
 */
export class PackedLists {
  readonly #table: Table;
  readonly #kind: ListKind;
  readonly #tails = new Map<number, Tail>();
  #changed: Tail[] = [];

  constructor(table: Table, kind: ListKind) {
    this.#table = table;
    this.#kind = kind;
  }

  /** An entry of one column. The entry must not be below the last one of its list. */
  add(id: number, number: number): void {
    this.#pack(this.#tailFor(id, number), 0, number);
  }

  /** Entries of one list, of `columns` numbers each, from `start` on and before `end` in `values`. */
  addAll(id: number, values: Float64Array, start: number, end: number): void {
    const { columns } = this.#kind;
    for (let at = start; at < end; at += columns) {
      const tail = this.#tailFor(id, values[at] ?? 0);
      for (let column = 0; column < columns; column += 1) this.#pack(tail, column, values[at + column] ?? 0);
    }
  }

  /** All that was added is in the table then. */
  flush(): void {
    for (const tail of this.#changed) {
      this.#put(tail, this.#kind.tag | LAST_ROW, 0);
      tail.isChanged = false;
    }
    this.#changed = [];
    if (this.#tails.size > MAX_KEPT) this.#tails.clear();
  }

  /** Where an entry is to be packed, with room for it. */
  #tailFor(id: number, number: number): Tail {
    let tail = this.#tails.get(id);
    if (tail === undefined) {
      if (this.#tails.size >= MAX_OPEN) this.flush();
      tail = this.#resume(id) ?? this.#begin(id, number);
      this.#tails.set(id, tail);
    }
    if (tail.count === ENTRIES_PER_ROW) {
      this.#put(tail, this.#kind.tag, tail.first);
      this.#startAnew(tail, number);
    }
    if (!tail.isChanged) {
      tail.isChanged = true;
      this.#changed.push(tail);
    }
    tail.count += 1;
    if (tail.length + SPARE_BYTES > tail.bytes.length) {
      tail.bytes = Buffer.concat([tail.bytes], tail.bytes.length * 2);
    }
    return tail;
  }

  #resume(id: number): Tail | undefined {
    const row = lastRow(this.#table, this.#kind, id);
    if (row === undefined) return undefined;
    const { key, payload } = row;
    const last = Array.from({ length: this.#kind.columns }, (_, column) =>
      payload.readDoubleLE(LAST_BEGINS + column * NUMBER_BYTES),
    );
    const length = KEY_BYTES + payload.length;
    const bytes = Buffer.concat([key, payload], length + FIRST_BYTES);
    return { bytes, length, count: payload.readUInt32LE(0), first: firstOf(payload), last, isChanged: false };
  }

  #begin(id: number, first: number): Tail {
    const bytes = Buffer.concat([lastKey(this.#kind, id)], FIRST_BYTES);
    const last = new Array<number>(this.#kind.columns).fill(0);
    const tail = { bytes, length: 0, count: 0, first, last, isChanged: false };
    this.#startAnew(tail, first);
    return tail;
  }

  #startAnew(tail: Tail, first: number): void {
    tail.first = first;
    tail.last.fill(0);
    tail.last[0] = first;
    tail.count = 0;
    tail.length = KEY_BYTES + LAST_BEGINS + tail.last.length * NUMBER_BYTES;
  }

  #pack(tail: Tail, column: number, number: number): void {
    const difference = number - (tail.last[column] ?? 0);
    if (column === 0 && difference < 0)
      throw new BrokenInvariantError(`${number} does not follow in its list`);
    tail.last[column] = number;
    tail.length = writeVarint(tail.bytes, tail.length, column === 0 ? difference : signed(difference));
  }

  /** Puts a row with the rest of its key: that of a full row, or of the list's last one. */
  #put(tail: Tail, tag: number, number: number): void {
    const { bytes, length } = tail;
    bytes[0] = tag;
    writeNumberKey(bytes, number, FIRST_OFFSET);
    bytes.writeUInt32LE(tail.count, KEY_BYTES);
    bytes.writeDoubleLE(tail.first, KEY_BYTES + FIRST_BEGINS);
    for (let column = 0; column < tail.last.length; column += 1) {
      bytes.writeDoubleLE(tail.last[column] ?? 0, KEY_BYTES + LAST_BEGINS + column * NUMBER_BYTES);
    }
    const key = bytes.subarray(0, KEY_BYTES);
    const row = bytes.subarray(KEY_BYTES);
    row.writeUInt32LE(rowChecksum(key, row, length - KEY_BYTES), length - KEY_BYTES);
    this.#table.put(key, row.subarray(0, length - KEY_BYTES + 4));
  }
}

/** The row in which an entry with this number is, or else the nearest one below. Throws `DamagedDataError`. */
export function rowAt(table: Table, kind: ListKind, id: number, number: number): PackedRow | undefined {
  const last = lastRow(table, kind, id);
  const row = last === undefined || firstOf(last.payload) <= number ? last : fullRow(table, kind, id, number);
  return row && decode(kind, row.payload);
}

/**
 * The rows of a list, in order, from the one in which an entry with this number would be. Not beyond this turn of the
 * event loop.
 */
export function* rowsFrom(table: Table, kind: ListKind, id: number, number = 0): IterableIterator<PackedRow> {
  const last = lastRow(table, kind, id);
  if (last === undefined) return;
  if (firstOf(last.payload) > number) {
    const start = fullRow(table, kind, id, number)?.key ?? fullKey(kind, id, number);
    const end = fullKey(kind, id, Number.MAX_SAFE_INTEGER);
    for (const { key, value } of table.getRange({ start, end })) yield decode(kind, unsealRow(key, value));
  }
  yield decode(kind, last.payload);
}

/**
 * All entries of all lists of a kind, row by row. Throws `DamagedDataError` when rows overlap, or lie where they don't
 * belong.
 */
export function visitLists(
  table: Table,
  kind: ListKind,
  visit: (id: number, entries: Float64Array) => void,
): void {
  for (const tag of [kind.tag, kind.tag | LAST_ROW]) {
    const isFull = tag === kind.tag;
    for (const { key, value } of table.getRange({ start: Buffer.of(tag), end: Buffer.of(tag + 1) })) {
      const id = readNumberKey(key, ID_OFFSET);
      const { first, entries } = decode(kind, unsealRow(key, value));
      if (readNumberKey(key, FIRST_OFFSET) !== (isFull ? first : 0)) {
        throw new DamagedDataError("a row of a list of orders lies at another one's place");
      }
      const before = fullRow(table, kind, id, isFull ? first - 1 : Number.MAX_SAFE_INTEGER);
      if (before !== undefined && before.payload.readDoubleLE(LAST_BEGINS) > first) {
        throw new DamagedDataError('the rows of a list of orders overlap');
      }
      visit(id, entries);
    }
  }
}

function fullKey(kind: ListKind, id: number, first: number): Buffer {
  return listKey(kind.tag, id, first);
}

function lastKey(kind: ListKind, id: number): Buffer {
  return listKey(kind.tag | LAST_ROW, id, 0);
}

function listKey(tag: number, id: number, first: number): Buffer {
  const key = Buffer.allocUnsafe(KEY_BYTES);
  key[0] = tag;
  writeNumberKey(key, id, ID_OFFSET);
  writeNumberKey(key, first, FIRST_OFFSET);
  return key;
}

interface StoredRow {
  readonly key: Buffer;
  readonly payload: Buffer;
}

function lastRow(table: Table, kind: ListKind, id: number): StoredRow | undefined {
  const key = lastKey(kind, id);
  const value = table.get(key);
  return value && { key, payload: unsealRow(key, value) };
}

/** The nearest full row that begins at `number` or below. */
function fullRow(table: Table, kind: ListKind, id: number, number: number): StoredRow | undefined {
  if (number < 0) return undefined;
  const start = fullKey(kind, id, number);
  for (const { key, value } of table.getRange({ start, reverse: true, limit: 1 })) {
    if (key[0] !== kind.tag || readNumberKey(key, ID_OFFSET) !== id) return undefined;
    return { key, payload: unsealRow(key, value) };
  }
  return undefined;
}

function firstOf(payload: Buffer): number {
  return payload.readDoubleLE(FIRST_BEGINS);
}

function unsealRow(key: Buffer, value: Buffer): Buffer {
  return unseal('orderLists', key, value);
}

function decode({ columns }: ListKind, payload: Buffer): PackedRow {
  const count = payload.readUInt32LE(0);
  const first = firstOf(payload);
  const input = new ByteReader(payload, LAST_BEGINS + columns * NUMBER_BYTES);
  const entries = new Float64Array(count * columns);
  for (let at = 0; at < entries.length; at += 1) {
    const before = at < columns ? (at === 0 ? first : 0) : (entries[at - columns] ?? 0);
    entries[at] = before + (at % columns === 0 ? input.varint() : unsigned(input.varint()));
  }
  if (!input.isAtEnd) throw new DamagedDataError('a row of a list of orders is longer than its entries');
  return { first, entries };
}
