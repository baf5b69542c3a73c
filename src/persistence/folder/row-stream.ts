/**
 * The rows of a folder's files as bytes that are sent elsewhere: in parts of about a megabyte, each with whole records,
 * so that neither side has more than one part in memory.
 *
 *   1 text, name, bytes      a small file as it is        2 file, name      the rows that follow are of this file
 *   3 table, name            … of this table              4 row, key, value
 *   5 piece, name, bytes     what a run file goes on with
 *
 * A length is a varint (`codec/varint.ts`). Nothing is checked here: rows have checksums of their own.
 */
import { ByteReader, DamagedDataError } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';

export type StreamRecord =
  | { readonly kind: 'text' | 'piece'; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: 'file'; readonly name: string }
  | { readonly kind: 'table'; readonly name: string }
  | { readonly kind: 'row'; readonly key: Buffer; readonly value: Buffer };

const KINDS = ['text', 'file', 'table', 'row', 'piece'] as const;
const PART_BYTES = 1024 * 1024;

/** The parts, in memory of their own. The last one may be small; there is at least one. */
export function* encodeParts(records: Iterable<StreamRecord>): IterableIterator<Buffer> {
  const writer = new ByteWriter(2 * PART_BYTES);
  for (const record of records) {
    writer.byte(KINDS.indexOf(record.kind) + 1);
    if (record.kind === 'row') {
      writeBytes(writer, record.key);
      writeBytes(writer, record.value);
    } else {
      writeBytes(writer, Buffer.from(record.name));
      if (record.kind === 'text' || record.kind === 'piece') writeBytes(writer, record.bytes);
    }
    if (writer.length < PART_BYTES) continue;
    yield writer.copy();
    writer.reset();
  }
  yield writer.copy();
}

/** Keys and values are parts of `bytes`. Throws `DamagedDataError`. */
export function* decodePart(bytes: Buffer): IterableIterator<StreamRecord> {
  const reader = new ByteReader(bytes);
  while (!reader.isAtEnd) {
    const kind = KINDS[reader.byte() - 1];
    if (kind === undefined)
      throw new DamagedDataError('a copy of a data folder has a record that is unknown');
    if (kind === 'row') yield { kind, key: readBytes(reader), value: readBytes(reader) };
    else {
      const name = readBytes(reader).toString();
      yield kind === 'text' || kind === 'piece' ? { kind, name, bytes: readBytes(reader) } : { kind, name };
    }
  }
}

function writeBytes(writer: ByteWriter, bytes: Uint8Array): void {
  writer.varint(bytes.length);
  writer.bytes(bytes);
}

function readBytes(reader: ByteReader): Buffer {
  return reader.bytes(reader.varint());
}
