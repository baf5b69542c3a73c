/**
 * Groups of events as they lie on disk: which products of catalog or stock changed, once for all accounts that are told the
 * same. A row is a block of consecutive groups of one stream, since most of them have a product or two, and a row of its
 * own would take ten times as much.
 *
 * The streams: stock, of all accounts; the catalog by price list, of those who have it; and the catalog by account, of those
 * who were told something else than their list, or nothing.
 */
import { ByteReader, DamagedDataError } from '../../codec/byte-reader.ts';
import type { ByteWriter } from '../../codec/byte-writer.ts';
import { numbersKey } from '../../codec/number-key.ts';
import { signed, unsigned } from '../../codec/varint.ts';
import { NUMBERS_PER_POSITION } from '../event-row.ts';

/** Rows have a stream's kind by its place here. */
const STREAM_KINDS = ['stock', 'catalogOfList', 'catalogOfAccount'] as const;

export interface GroupStream {
  readonly kind: (typeof STREAM_KINDS)[number];
  /** The list, or the account; of stock 0. */
  readonly id: number;
}

export interface GroupEntry {
  /** The event's, in all accounts (`eventNumber`). */
  readonly number: number;
  /** Unix milliseconds. */
  readonly createdAtMs: number;
  /** Each once, in the order of their latest change. Empty of an account that was told nothing. */
  readonly productIds: readonly number[];
  /** Products among them that only accounts see whose prices name them; in the stream of stock alone. */
  readonly listed: readonly number[];
}

export const NO_ENTRY: GroupEntry = { number: 0, createdAtMs: 0, productIds: [], listed: [] };

export const STOCK: GroupStream = { kind: 'stock', id: 0 };

/** `first` is the number of the block's first entry. */
export function blockKey({ kind, id }: GroupStream, first: number): Buffer {
  return numbersKey(STREAM_KINDS.indexOf(kind), id, first);
}

/** Sorts before all keys of the stream. */
export function streamKey({ kind, id }: GroupStream): Buffer {
  return numbersKey(STREAM_KINDS.indexOf(kind), id);
}

/** Adds the entry behind `before`, which is the block's last one; `NO_ENTRY` with the key's number when there is none. */
export function writeEntry(out: ByteWriter, entry: GroupEntry, before: GroupEntry): void {
  const { number, createdAtMs, productIds } = entry;
  const listed = new Set(entry.listed);
  out.varint((number - before.number) / NUMBERS_PER_POSITION);
  out.varint(signed(createdAtMs - before.createdAtMs));
  out.varint(productIds.length);
  let last = 0;
  for (const productId of productIds) {
    out.varint(signed(productId - last) * 2 + Number(listed.has(productId)));
    last = productId;
  }
}

/** `first` is the key's number. Throws `DamagedDataError`. */
export function* readBlock(payload: Buffer, first: number): IterableIterator<GroupEntry> {
  const input = new ByteReader(payload);
  if (input.isAtEnd) throw new DamagedDataError(`the groups from ${first} on are an empty block`);
  let [number, createdAtMs] = [first, 0];
  while (!input.isAtEnd) {
    number += input.varint() * NUMBERS_PER_POSITION;
    createdAtMs += unsigned(input.varint());
    const productIds: number[] = [];
    const listed: number[] = [];
    let productId = 0;
    for (let left = input.varint(); left > 0; left -= 1) {
      const code = input.varint();
      productId += unsigned(Math.floor(code / 2));
      productIds.push(productId);
      if (code % 2 === 1) listed.push(productId);
    }
    yield { number, createdAtMs, productIds, listed };
  }
}
