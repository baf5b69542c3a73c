/**
 * The rows of a file that one transaction put and removed, as bytes for the folders of other nodes.
 *
 * Invariant: the bytes are cut into parts of a bounded size, wherever that falls, so that nothing else waits long
 * behind a part; a row may be larger than one. The first byte of a part says whether it begins or ends a set. A set is
 * applied as a whole or not at all: one whose end never came was left by a node that died, and the next set's beginning
 * takes its place. To apply a set again changes nothing, as long as the sets behind it are applied again, too.
 *
 * Tables go by name, once for each set. Rejected: to leave a large row whole. An upload of long texts has rows of
 * megabytes, and every purchase would wait behind each of them.
 */
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';

/** The most bytes of one part. */
export const PART_BYTES = 256 * 1024;
/** Many times what any transaction writes. */
const MAX_SET_BYTES = 64 * 1024 * 1024;
/** Memory that is kept for the next set. */
const KEPT_BYTES = 1024 * 1024;
const BEGINS = 1;
const ENDS = 2;

export interface RowChange {
  readonly table: string;
  readonly key: Buffer;
  /** Null: the row is removed. */
  readonly row: Buffer | null;
}

/** Gathers the changes of a transaction while they are made: keys and rows may be used again at once. */
export class RowChangesEncoder {
  #bytes = new ByteWriter();
  readonly #tables = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#bytes.length === 0;
  }

  put(table: string, key: Uint8Array, row: Uint8Array): void {
    this.#begin(table, key);
    this.#bytes.varint(row.length + 1);
    this.#bytes.bytes(row);
  }

  remove(table: string, key: Uint8Array): void {
    this.#begin(table, key);
    this.#bytes.varint(0);
  }

  /** The parts of what was gathered, at least one; then begins anew. */
  take(): Buffer[] {
    const all = this.#bytes.view();
    const room = PART_BYTES - 1;
    const count = Math.max(1, Math.ceil(all.length / room));
    const parts = Array.from({ length: count }, (_, place) => {
      const content = all.subarray(place * room, (place + 1) * room);
      const part = Buffer.allocUnsafeSlow(1 + content.length);
      part[0] = (place === 0 ? BEGINS : 0) | (place === count - 1 ? ENDS : 0);
      part.set(content, 1);
      return part;
    });
    this.clear();
    return parts;
  }

  /** Forgets the changes that were gathered. */
  clear(): void {
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = new ByteWriter();
    else this.#bytes.reset();
    this.#tables.clear();
  }

  #begin(table: string, key: Uint8Array): void {
    const known = this.#tables.get(table);
    this.#bytes.varint(known ?? this.#tables.size);
    if (known === undefined) {
      this.#tables.set(table, this.#tables.size);
      this.#bytes.text(table);
    }
    this.#bytes.varint(key.length);
    this.#bytes.bytes(key);
  }
}

/** The parts of one set, at least one. */
export function encodeRowChanges(changes: Iterable<RowChange>): Buffer[] {
  const encoder = new RowChangesEncoder();
  for (const { table, key, row } of changes) {
    if (row === null) encoder.remove(table, key);
    else encoder.put(table, key, row);
  }
  return encoder.take();
}

/** Puts sets together of their parts, which come in order. */
export class RowSets {
  /** Parts of the set that has begun and not ended, without their first bytes. */
  #open: readonly Uint8Array[] = [];

  /**
   * Calls `apply` once with all sets that are whole now, one behind the other; what it throws goes on, and the same
   * parts may be given again. False: the last one has further parts, and a reader that begins anew behind these would
   * miss those before. Throws `DamagedDataError`, also for a part whose beginning never came.
   */
  take(parts: readonly Uint8Array[], apply: (changes: RowChange[]) => void): boolean {
    let open = this.#open;
    const whole: RowChange[][] = [];
    for (const part of parts) {
      const flags = part[0] ?? 0;
      const isFirst = (flags & BEGINS) !== 0;
      if (!isFirst && open.length === 0) throw new DamagedDataError('a set of rows lacks its beginning');
      open = [...(isFirst ? [] : open), part.subarray(1)];
      if (open.reduce((sum, { length }) => sum + length, 0) > MAX_SET_BYTES)
        throw new DamagedDataError(`a set of rows has more than ${MAX_SET_BYTES} bytes`);
      if ((flags & ENDS) === 0) continue;
      whole.push(decode(Buffer.concat(open)));
      open = [];
    }
    if (whole.length > 0) apply(whole.flat());
    this.#open = open;
    return open.length === 0;
  }
}

function decode(bytes: Uint8Array): RowChange[] {
  const reader = new ByteReader(bytes);
  const tables: string[] = [];
  const changes: RowChange[] = [];
  while (!reader.isAtEnd) {
    const place = reader.varint();
    if (place === tables.length) tables.push(reader.text());
    const table = tables[place];
    if (table === undefined) throw new DamagedDataError('a set of rows names a table that it does not have');
    const key = reader.bytes(reader.varint());
    const length = reader.varint();
    changes.push({ table, key, row: length === 0 ? null : reader.bytes(length - 1) });
  }
  return changes;
}
