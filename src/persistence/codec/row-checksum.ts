/**
 * The checksum of a row, over key and payload.
 *
 * In a file that is read as bytes they lie one behind the other, and are then summed in one call: the check of
 * a data folder sums millions of small rows, and the calls cost more than the summing.
 */
import { crc32 } from 'node:zlib';

/** CRC-32 of the key and the first `length` bytes of the row. */
export function rowChecksum(key: Uint8Array, row: Uint8Array, length: number): number {
  if (row.buffer === key.buffer && row.byteOffset === key.byteOffset + key.length) {
    return crc32(Buffer.from(key.buffer, key.byteOffset, key.length + length));
  }
  return crc32(row.subarray(0, length), crc32(key));
}
