/**
 * The layout of a run file: rows of one table, ascending by key, written once and never changed.
 *
 * blocks of rows, blocks that name them, blocks that name those …, perhaps a filter of keys, the end, the tail
 *
 * In a packed file the blocks of rows are larger, and compressed (raw deflate).
 *
 * A block's name has its place, its length and its CRC-32; the end names the topmost block, and the list that names the
 * file has the end's CRC-32 (`run-list.ts`); of a file that no list names, the tail has it. So nothing of a file is
 * believed that nobody vouches for, and nothing need be read before it is wanted: to open a file takes two reads,
 * whatever its size.
 */
import { crc32 } from 'node:zlib';
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';

/** Rows are gathered up to here. A row that is longer has a block to itself. */
export const BLOCK_BYTES = 4 * 1024;
/**
 * The bytes of a block that is packed, before that. A row of orders is about as long, so one row is unpacked to read an
 * order.
 */
export const PACKED_BLOCK_BYTES = 8 * 1024;
/** The length of the end, which stands at the very end. */
export const TAIL_BYTES = 4;
/** The end's CRC-32, which stands before that length where no list names the file. */
export const SUM_BYTES = 4;

/** The mark of a packed file, at the end's end; others have nothing there. */
const PACKED = 1;

const FILTERED = 1;

/** A part of the file. */
export interface Extent {
  readonly offset: number;
  readonly length: number;
  /** CRC-32 of its bytes. */
  readonly sum: number;
}

/** The end of the file, which says what is in it. */
export interface RunEnd {
  readonly rows: number;
  readonly first: Buffer;
  readonly last: Buffer;
  /** How many blocks lie above a row's, on the way from the topmost. */
  readonly depth: number;
  readonly top: Extent;
  readonly isPacked: boolean;
  /** The bits of a filter of the hashes in it (`TableFilter`). */
  readonly filter: Extent | undefined;
}

export function encodeExtent(out: ByteWriter, { offset, length, sum }: Extent): void {
  out.varint(offset);
  out.varint(length);
  out.uint32(sum);
}

export function decodeExtent(input: ByteReader): Extent {
  return { offset: input.varint(), length: input.varint(), sum: input.uint32() };
}

export function encodeEnd({ rows, first, last, depth, top, isPacked, filter }: RunEnd): Buffer {
  const out = new ByteWriter(256);
  out.varint(rows);
  out.varint(depth);
  encodeExtent(out, top);
  out.byte(filter === undefined ? 0 : FILTERED);
  if (filter !== undefined) encodeExtent(out, filter);
  for (const key of [first, last]) {
    out.varint(key.length);
    out.bytes(key);
  }
  if (isPacked) out.byte(PACKED);
  return out.copy();
}

export function decodeEnd(bytes: Buffer): RunEnd {
  const input = new ByteReader(bytes);
  const rows = input.varint();
  const depth = input.varint();
  const top = decodeExtent(input);
  const filter = input.byte() === FILTERED ? decodeExtent(input) : undefined;
  const first = input.bytes(input.varint());
  const last = input.bytes(input.varint());
  const isPacked = !input.isAtEnd && input.byte() === PACKED;
  if (!input.isAtEnd) throw new DamagedDataError('its end is longer than what it says');
  return { rows, first, last, depth, top, isPacked, filter };
}

export function sumOf(bytes: Uint8Array): number {
  return crc32(bytes);
}
