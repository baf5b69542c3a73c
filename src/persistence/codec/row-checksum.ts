/**
 * The checksum of a row, over key and payload: CRC-32, as zlib has it.
 *
 * The check of a data folder sums a million rows and more, most of them as short as a fingerprint's. For those the
 * call into zlib, and the view of the bytes that it wants, take several times as long as the summing, so they are
 * summed here.
 */
import { crc32 } from 'node:zlib';

/** Beyond, zlib is faster. */
const SHORT_BYTES = 64;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum & 1) === 0 ? sum >>> 1 : (sum >>> 1) ^ 0xedb88320;
  return sum;
});

/** CRC-32 of the key and the first `length` bytes of the row. */
export function rowChecksum(key: Uint8Array, row: Uint8Array, length: number): number {
  if (key.length + length <= SHORT_BYTES) {
    return ~summed(summed(-1, key, key.length), row, length) >>> 0;
  }
  // In a file that is read as bytes they lie one behind the other.
  if (row.buffer === key.buffer && row.byteOffset === key.byteOffset + key.length) {
    return crc32(Buffer.from(key.buffer, key.byteOffset, key.length + length));
  }
  return crc32(row.subarray(0, length), crc32(key));
}

function summed(before: number, bytes: Uint8Array, length: number): number {
  let sum = before;
  for (let index = 0; index < length; index += 1) {
    sum = (TABLE[(sum ^ (bytes[index] ?? 0)) & 0xff] ?? 0) ^ (sum >>> 8);
  }
  return sum;
}
