/** Bytes that grow, and whole numbers written into them as text. */

const BILLION = 1_000_000_000;
const ZERO = 0x30;
const SHORT_BYTES = 24;

export class LineBytes {
  #bytes: Buffer;
  #length = 0;

  constructor(firstBytes: number) {
    this.#bytes = Buffer.allocUnsafe(firstBytes);
  }

  /** The bytes written since `clear`; their memory is used anew after the next one. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** Makes room for so many bytes more. */
  makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(2 * needed);
    grown.set(this.written);
    this.#bytes = grown;
  }

  put(part: Uint8Array): void {
    const bytes = this.#bytes;
    const start = this.#length;
    const length = part.length;
    this.#length = start + length;
    // A call for a few bytes takes longer than the bytes.
    if (length > SHORT_BYTES) bytes.set(part, start);
    else for (let at = 0; at < length; at += 1) bytes[start + at] = part[at] ?? 0;
  }

  /** From 0 to the largest safe integer. */
  number(value: number): void {
    if (value >= BILLION) {
      const high = Math.floor(value / BILLION);
      this.number(high);
      this.digits(value - high * BILLION, 9);
      return;
    }
    let width = 1;
    for (let limit = 10; value >= limit; limit *= 10) width += 1;
    this.digits(value, width);
  }

  /** A number below a billion, with zeros in front. */
  digits(value: number, width: number): void {
    const bytes = this.#bytes;
    const start = this.#length;
    this.#length = start + width;
    let rest = value | 0;
    for (let at = start + width - 1; at >= start; at -= 1) {
      const higher = (rest / 10) | 0;
      bytes[at] = ZERO + rest - higher * 10;
      rest = higher;
    }
  }
}
