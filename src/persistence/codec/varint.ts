/**
 * Whole numbers below 2^53 in as few bytes as they need: seven bits a byte, the lowest first, and the high bit of a byte
 * says that more follow. For the differences of sorted numbers, most of which fit one byte or two.
 */
import { DamagedDataError } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';

const MORE = 0x80;
/** Beyond, the operators on bits don't reach. */
const BITS_LIMIT = 2 ** 31;

/** `value` is from 0 to 2^53 - 1. */
export function writeVarint(out: ByteWriter, value: number): void {
  let rest = value;
  while (rest >= BITS_LIMIT) {
    out.byte((rest % MORE) | MORE);
    rest = Math.floor(rest / MORE);
  }
  while (rest >= MORE) {
    out.byte((rest & 0x7f) | MORE);
    rest >>>= 7;
  }
  out.byte(rest);
}

/** `value` is from -2^52 to 2^52 - 1; small ones of either sign take few bytes. */
export function writeSignedVarint(out: ByteWriter, value: number): void {
  writeVarint(out, value < 0 ? -2 * value - 1 : 2 * value);
}

/** Reads numbers one behind the other. Throws `DamagedDataError` beyond the end. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #offset: number;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.#offset = offset;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  next(): number {
    let value = 0;
    for (let unit = 1; ; unit *= MORE) {
      const byte = this.#bytes[this.#offset];
      if (byte === undefined || unit > Number.MAX_SAFE_INTEGER) {
        throw new DamagedDataError('a packed number has no end');
      }
      this.#offset += 1;
      value += (byte & 0x7f) * unit;
      if (byte < MORE) return value;
    }
  }

  nextSigned(): number {
    const value = this.next();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}
