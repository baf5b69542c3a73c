/**
 * Writes fields into one growing buffer, which is reused from record to record: on the purchase path an
 * allocation per field would cost more than the writing. Numbers are doubles, because every integer of the
 * engine is below 2^53 and a double is one store, whatever its size.
 */

import { MAX_VARINT_BYTES, writeVarint } from './varint.ts';

/** The length up to which a loop writes bytes, or ASCII, faster than the runtime does. */
const MAX_SHORT = 64;

export class ByteWriter {
  #buffer: Buffer;
  #view: DataView;
  #length = 0;

  constructor(initialBytes = 64 * 1024) {
    this.#buffer = Buffer.allocUnsafeSlow(initialBytes);
    this.#view = viewOf(this.#buffer);
  }

  /** Starts anew; the bytes that `copy` gave out stay as they are. */
  reset(): void {
    this.#length = 0;
  }

  /** The bytes that were written; valid until something is written again. */
  view(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** The bytes that were written, in memory of their own. */
  copy(): Buffer {
    const copy = Buffer.allocUnsafeSlow(this.#length);
    this.#buffer.copy(copy, 0, 0, this.#length);
    return copy;
  }

  get length(): number {
    return this.#length;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#buffer.set(value, this.#length);
    this.#length += value.length;
  }

  /** The bytes of `source` from `start` on and before `end`. */
  part(source: Uint8Array, start: number, end: number): void {
    const count = end - start;
    if (count > MAX_SHORT) return this.bytes(source.subarray(start, end));
    this.#reserve(count);
    const to = this.#length;
    for (let at = 0; at < count; at += 1) this.#buffer[to + at] = source[start + at] ?? 0;
    this.#length += count;
  }

  /** Leaves `count` bytes to be filled in later. */
  skip(count: number): void {
    this.#reserve(count);
    this.#length += count;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length] = value;
    this.#length += 1;
  }

  uint32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  number(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** A whole number below 2^53: small numbers are short. */
  varint(value: number): void {
    this.#reserve(MAX_VARINT_BYTES);
    this.#length = writeVarint(this.#buffer, this.#length, value);
  }

  /** UTF-8 behind its length in bytes. */
  text(value: string): void {
    this.#reserve(4 + value.length * 3);
    const start = this.#length + 4;
    const bytes = this.#isWrittenAsAscii(value, start) ? value.length : this.#buffer.write(value, start);
    this.#view.setUint32(this.#length, bytes, true);
    this.#length = start + bytes;
  }

  #isWrittenAsAscii(value: string, start: number): boolean {
    if (value.length > MAX_SHORT) return false;
    for (let index = 0; index < value.length; index += 1) {
      const unit = value.charCodeAt(index);
      if (unit > 0x7f) return false;
      this.#buffer[start + index] = unit;
    }
    return true;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
