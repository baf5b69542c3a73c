/**
 * A Bloom filter of the hashes of a table in one file: of a hash that is there it never says that it isn't.
 *
 * All bits of a hash lie in 64 bytes, so a question is one look at memory. The high bits of a hash say which 64, so a
 * file, which is sorted by hash, fills its filter from the first byte to the last. Filters of one file are bounded: of
 * more hashes than that it takes more for one that it has.
 */

const BITS_PER_HASH = 16;
const LINE_BITS = 512;
const LINE_WORDS = LINE_BITS / 32;
const LINE_BYTES = LINE_BITS / 8;
const PROBES = 6;
const HASHES = 2 ** 53;
/** 33 million hashes at full width. */
const MAX_BYTES = 64 * 1024 * 1024;

export class TableFilter {
  readonly #words: Uint32Array;
  readonly #lines: number;

  /** `bytes` are those of a filter. */
  constructor(bytes: Uint8Array) {
    const isAligned = bytes.byteOffset % 4 === 0;
    const { buffer, byteOffset } = isAligned ? bytes : Uint8Array.from(bytes);
    this.#words = new Uint32Array(buffer, byteOffset, bytes.length / 4);
    this.#lines = bytes.length / LINE_BYTES;
  }

  /** An empty one for so many hashes. */
  static of(hashes: number): TableFilter {
    const lines = Math.max(1, Math.ceil((hashes * BITS_PER_HASH) / LINE_BITS));
    return new TableFilter(new Uint8Array(Math.min(MAX_BYTES, lines * LINE_BYTES)));
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#words.buffer, this.#words.byteOffset, this.#words.byteLength);
  }

  add(hash: number): void {
    const line = Math.floor((hash / HASHES) * this.#lines) * LINE_WORDS;
    let probe = hash >>> 0;
    const step = Math.imul(probe, 0x9e3779b1) | 1;
    for (let count = 0; count < PROBES; count += 1) {
      const index = line + (probe >>> 28);
      this.#words[index] = (this.#words[index] ?? 0) | (1 << ((probe >>> 23) & 31));
      probe = (probe + step) | 0;
    }
  }

  /** False when it was never added. */
  has(hash: number): boolean {
    const line = Math.floor((hash / HASHES) * this.#lines) * LINE_WORDS;
    let probe = hash >>> 0;
    const step = Math.imul(probe, 0x9e3779b1) | 1;
    for (let count = 0; count < PROBES; count += 1) {
      if (((this.#words[line + (probe >>> 28)] ?? 0) & (1 << ((probe >>> 23) & 31))) === 0) return false;
      probe = (probe + step) | 0;
    }
    return true;
  }
}
