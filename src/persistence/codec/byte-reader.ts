/**
 * Reads what `ByteWriter` wrote. Bytes from the disk are not to be trusted: whatever doesn't fit is a
 * `DamagedDataError`, never a read beyond the end.
 */
import { MAX_VARINT_BYTES } from './varint.ts';

export class DamagedDataError extends Error {
  override readonly name = 'DamagedDataError';
}

const MAX_VARINT_FACTOR = 2 ** (7 * MAX_VARINT_BYTES);

export class ByteReader {
  readonly #bytes: Buffer;
  /** Made when it is wanted: its numbers are single loads, where a buffer's are put together of bytes. */
  #numbers: DataView | undefined;
  #offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes =
      bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#offset = offset;
  }

  /** The offset of the next byte. */
  get offset(): number {
    return this.#offset;
  }

  /** Goes back to an offset that was read before. */
  back(offset: number): void {
    this.#offset = offset;
  }

  get isAtEnd(): boolean {
    return this.#offset === this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.#take(1)] ?? 0;
  }

  /** The next byte, which stays the next one. */
  peek(): number {
    const byte = this.byte();
    this.#offset -= 1;
    return byte;
  }

  uint32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  number(): number {
    return (this.#numbers ?? this.#view()).getFloat64(this.#take(8), true);
  }

  /** A number as `ByteWriter.varint` wrote it. */
  varint(): number {
    let value = 0;
    for (let factor = 1; factor < MAX_VARINT_FACTOR; factor *= 128) {
      const byte = this.#bytes[this.#offset];
      if (byte === undefined) break;
      this.#offset += 1;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
    throw new DamagedDataError('a record has a number that does not end');
  }

  text(): string {
    const length = this.uint32();
    const start = this.#take(length);
    return this.#bytes.toString('utf8', start, start + length);
  }

  /** The next so many; no copy. */
  bytes(count: number): Buffer {
    const start = this.#take(count);
    return this.#bytes.subarray(start, start + count);
  }

  /** All that is left; no copy. */
  rest(): Buffer {
    return this.#bytes.subarray(this.#take(this.#bytes.length - this.#offset));
  }

  /** Passes over so many bytes. */
  skip(count: number): void {
    this.#take(count);
  }

  skipText(): void {
    this.#take(this.uint32());
  }

  #view(): DataView {
    const { buffer, byteOffset, byteLength } = this.#bytes;
    this.#numbers = new DataView(buffer, byteOffset, byteLength);
    return this.#numbers;
  }

  #take(count: number): number {
    const start = this.#offset;
    if (start + count > this.#bytes.length) {
      throw new DamagedDataError(`a record ends after ${this.#bytes.length} bytes, in the middle of a field`);
    }
    this.#offset += count;
    return start;
  }
}
