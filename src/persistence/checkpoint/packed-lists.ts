/**
 * Lists of ascending numbers by an owner's id, such as an account's orders: many to a row, as differences.
 *
 * A row's key is the list's kind, the owner, and the row's first number, so a number is found by one look-up from above.
 * What always holds: the rows of a list don't overlap, and each but the last is full, because the last is filled up before
 * another one begins. An entry of some kinds has more than its number; what it has beside is stored as the difference
 * to the entry before. Rejected: a row for each entry, which costs the fold more than the order itself.
 */
import { DamagedDataError } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { VarintReader, writeSignedVarint, writeVarint } from '../codec/varint.ts';
import { readNumberKey, type Table, writeNumberKey } from '../lmdb/lmdb-environment.ts';
import { sealIn, unseal } from './checkpoint-rows.ts';

/** A row stays far below a page of LMDB. */
export const ENTRIES_PER_ROW = 256;
const KEY_BYTES = 17;
const ID_OFFSET = 1;
const FIRST_OFFSET = 9;
/** A row begins with how many entries it has, and the last one, which the next is packed against. */
const COUNT_BYTES = 4;
const NUMBER_BYTES = 8;

export interface ListKind {
  /** The first byte of its keys. Never changes its meaning. */
  readonly tag: number;
  /** Numbers of an entry: the one that ascends, and what it has beside. */
  readonly columns: number;
}

/** The entries of one row, one behind the other, `columns` numbers each. */
export interface PackedRow {
  readonly first: number;
  readonly entries: Float64Array;
}

/** Collects the entries of one kind of list, and writes them. */
export class PackedLists {
  readonly #table: Table;
  readonly #kind: ListKind;
  readonly #scratch = new ByteWriter(4 * 1024);
  readonly #added = new Map<number, number[]>();

  constructor(table: Table, kind: ListKind) {
    this.#table = table;
    this.#kind = kind;
  }

  /** An entry of one column. It must not be below the last one of its list. */
  add(id: number, number: number): void {
    this.#listOf(id).push(number);
  }

  /** An entry of three columns. */
  add3(id: number, number: number, second: number, third: number): void {
    this.#listOf(id).push(number, second, third);
  }

  /** Inside a transaction. All that was added is in the table then. */
  flush(): void {
    for (const [id, entries] of this.#added) this.#write(id, entries);
    this.#added.clear();
  }

  #listOf(id: number): number[] {
    let list = this.#added.get(id);
    if (list === undefined) {
      list = [];
      this.#added.set(id, list);
    }
    return list;
  }

  #write(id: number, entries: readonly number[]): void {
    const { columns } = this.#kind;
    const last = new Array<number>(columns).fill(0);
    let { key, count } = this.#resume(id, last);
    for (let at = 0; at < entries.length; at += columns) {
      if (count === ENTRIES_PER_ROW) {
        this.#put(key, count, last);
        count = 0;
      }
      if (count === 0) key = this.#begin(id, entries[at] ?? 0, last);
      this.#pack(entries, at, last);
      count += 1;
    }
    this.#put(key, count, last);
  }

  /** The list's last row, to be filled up; `last` gets its last entry. */
  #resume(id: number, last: number[]): { key: Buffer; count: number } {
    const row = readFrom(this.#table, this.#kind, id, Number.MAX_SAFE_INTEGER);
    if (row === undefined) return { key: Buffer.alloc(0), count: 0 };
    const { key, payload } = row;
    for (let column = 0; column < last.length; column += 1) {
      last[column] = payload.readDoubleLE(COUNT_BYTES + column * NUMBER_BYTES);
    }
    this.#scratch.reset();
    this.#scratch.bytes(payload);
    return { key, count: payload.readUInt32LE(0) };
  }

  #begin(id: number, first: number, last: number[]): Buffer {
    last.fill(0);
    last[0] = first;
    this.#scratch.reset();
    this.#scratch.skip(COUNT_BYTES + last.length * NUMBER_BYTES);
    return listKey(this.#kind, id, first);
  }

  #pack(entries: readonly number[], at: number, last: number[]): void {
    for (let column = 0; column < last.length; column += 1) {
      const number = entries[at + column] ?? 0;
      const difference = number - (last[column] ?? 0);
      if (column === 0) writeVarint(this.#scratch, difference);
      else writeSignedVarint(this.#scratch, difference);
      last[column] = number;
    }
  }

  #put(key: Buffer, count: number, last: readonly number[]): void {
    const payload = this.#scratch.view();
    payload.writeUInt32LE(count, 0);
    for (const [column, number] of last.entries()) {
      payload.writeDoubleLE(number, COUNT_BYTES + column * NUMBER_BYTES);
    }
    this.#table.put(key, sealIn(this.#scratch, key));
  }
}

/** The row in which an entry with this number is, or else the nearest one below. Throws `DamagedDataError`. */
export function rowAt(table: Table, kind: ListKind, id: number, number: number): PackedRow | undefined {
  const row = readFrom(table, kind, id, number);
  return row && decode(kind, row.key, row.payload);
}

/** The rows of a list, in order, from the one in which an entry with this number would be. */
export function* rowsFrom(table: Table, kind: ListKind, id: number, number = 0): IterableIterator<PackedRow> {
  const first = rowAt(table, kind, id, number)?.first ?? number;
  const range = { start: listKey(kind, id, first), end: listKey(kind, id, Number.MAX_SAFE_INTEGER) };
  for (const { key, value } of table.getRange(range)) yield decode(kind, key, unsealRow(key, value));
}

/** All entries of all lists of a kind, by owner. Throws `DamagedDataError` when one is out of order. */
export function visitLists(
  table: Table,
  kind: ListKind,
  visit: (id: number, entries: Float64Array) => void,
): void {
  let owner = -1;
  let last = -1;
  const range = { start: listKey(kind, 0, 0), end: Buffer.of(kind.tag + 1) };
  for (const { key, value } of table.getRange(range)) {
    const id = readNumberKey(key, ID_OFFSET);
    const { first, entries } = decode(kind, key, unsealRow(key, value));
    if (id === owner && first < last) throw new DamagedDataError('the rows of a list of orders overlap');
    owner = id;
    last = entries[entries.length - kind.columns] ?? first;
    visit(id, entries);
  }
}

function listKey({ tag }: ListKind, id: number, first: number): Buffer {
  const key = Buffer.allocUnsafe(KEY_BYTES);
  key[0] = tag;
  writeNumberKey(key, id, ID_OFFSET);
  writeNumberKey(key, first, FIRST_OFFSET);
  return key;
}

function readFrom(
  table: Table,
  kind: ListKind,
  id: number,
  number: number,
): { readonly key: Buffer; readonly payload: Buffer } | undefined {
  for (const { key, value } of table.getRange({
    start: listKey(kind, id, number),
    reverse: true,
    limit: 1,
  })) {
    if (key[0] !== kind.tag || readNumberKey(key, ID_OFFSET) !== id) return undefined;
    return { key, payload: unsealRow(key, value) };
  }
  return undefined;
}

function unsealRow(key: Buffer, value: Buffer): Buffer {
  return unseal('orderLists', key, value);
}

function decode({ columns }: ListKind, key: Buffer, payload: Buffer): PackedRow {
  const count = payload.readUInt32LE(0);
  const first = readNumberKey(key, FIRST_OFFSET);
  const input = new VarintReader(payload, COUNT_BYTES + columns * NUMBER_BYTES);
  const entries = new Float64Array(count * columns);
  for (let at = 0; at < entries.length; at += 1) {
    const before = at < columns ? (at === 0 ? first : 0) : (entries[at - columns] ?? 0);
    entries[at] = before + (at % columns === 0 ? input.next() : input.nextSigned());
  }
  if (!input.isAtEnd) throw new DamagedDataError('a row of a list of orders is longer than its entries');
  return { first, entries };
}
