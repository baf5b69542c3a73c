/**
 * Rows of a database: every value ends with a checksum over key and value, so that a damaged row is found when it is read
 * and never served.
 */
import { DamagedDataError } from './byte-reader.ts';
import { rowChecksum } from './row-checksum.ts';

const CHECKSUM_BYTES = 4;

export function seal(key: Uint8Array, payload: Uint8Array): Buffer {
  const row = Buffer.allocUnsafe(payload.length + CHECKSUM_BYTES);
  row.set(payload);
  row.writeUInt32LE(rowChecksum(key, payload, payload.length), payload.length);
  return row;
}

/** The payload, in place. Throws `DamagedDataError` when key and value don't belong together. */
export function unseal(table: string, key: Uint8Array, row: Uint8Array): Buffer {
  const bytes = Buffer.from(row.buffer, row.byteOffset, row.length);
  const end = bytes.length - CHECKSUM_BYTES;
  if (end < 0 || rowChecksum(key, bytes, end) !== bytes.readUInt32LE(end)) {
    throw new DamagedDataError(`a row of ${table} has a wrong checksum`);
  }
  return bytes.subarray(0, end);
}

/** Rows as a table has them. */
interface Rows {
  read<Result>(key: Buffer, decode: (row: Buffer) => Result): Result | undefined;
}

/**
 * The result of `decode` for a row's payload, whose bytes are valid until `decode` returns. Undefined when there is no
 * such row. Throws `DamagedDataError` when the row is not as it was written.
 */
export function readRow<Result>(
  name: string,
  table: Rows,
  key: Buffer,
  decode: (payload: Buffer) => Result,
): Result | undefined {
  return table.read(key, (row) => decode(unseal(name, key, row)));
}

export function encodeJson(row: object): Buffer {
  return Buffer.from(JSON.stringify(row));
}

/** Throws `DamagedDataError` for what is no JSON. */
export function decodeJson<Row>(payload: Uint8Array): Row {
  const { buffer, byteOffset, length } = payload;
  try {
    return JSON.parse(Buffer.from(buffer, byteOffset, length).toString('utf8')) as Row;
  } catch (cause) {
    throw new DamagedDataError('a row is no JSON', { cause });
  }
}
