/**
 * Whole numbers below 2^53 in as few bytes as they need: seven bits a byte, the lowest first, and the high bit of a byte
 * says that more follow. For the differences of sorted numbers, most of which fit one byte or two. `ByteReader.varint`
 * reads them.
 */

const MORE = 0x80;
/** Beyond, the operators on bits don't reach. */
const BITS_LIMIT = 2 ** 31;
export const MAX_VARINT_BYTES = 8;

/** `value` is from 0 to 2^53 - 1, and `bytes` has room for `MAX_VARINT_BYTES`. Returns the offset behind it. */
export function writeVarint(bytes: Uint8Array, offset: number, value: number): number {
  let at = offset;
  let rest = value;
  while (rest >= BITS_LIMIT) {
    bytes[at] = (rest % MORE) | MORE;
    rest = Math.floor(rest / MORE);
    at += 1;
  }
  while (rest >= MORE) {
    bytes[at] = (rest & 0x7f) | MORE;
    rest >>>= 7;
    at += 1;
  }
  bytes[at] = rest;
  return at + 1;
}

/** For `writeVarint`: a number from -2^52 to 2^52 - 1, so that small ones of either sign take few bytes. */
export function signed(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** The number that `signed` made `value` of. */
export function unsigned(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
