/**
 * One layer of the filter of keys: a Bloom filter of so many hashes, as bytes that a file can hold.
 *
 * Hashes are whole numbers below 2^53 that are mixed well (`key-filter.ts`).
 */

/** With this many bits and probes a hash, a full layer takes one new hash in four hundred for one that it has. */
const BITS_PER_HASH = 16;
const PROBES = 4;
/** The room of the smallest layer, in hashes. */
const MIN_HASHES = 64;

export class FilterLayer {
  readonly #bits: Uint32Array;
  #size: number;

  /** `bytes`: what `bytes` of a layer with `size` hashes gave. */
  constructor(bytes: Uint8Array, size: number) {
    const isAligned = bytes.byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0;
    const { buffer, byteOffset, length } = isAligned ? bytes : Uint8Array.from(bytes);
    this.#bits = new Uint32Array(buffer, byteOffset, length / Uint32Array.BYTES_PER_ELEMENT);
    this.#size = size;
  }

  /** An empty one with room for so many hashes, or for up to twice as many. */
  static of(hashes: number): FilterLayer {
    const capacity = 2 ** Math.ceil(Math.log2(Math.max(MIN_HASHES, hashes)));
    return new FilterLayer(new Uint8Array((capacity * BITS_PER_HASH) / 8), 0);
  }

  get size(): number {
    return this.#size;
  }

  /** Beyond, it says more and more often that it may have what it hasn't. */
  get capacity(): number {
    return (this.#bits.length * 32) / BITS_PER_HASH;
  }

  /** Not a copy. */
  get bytes(): Uint8Array {
    return new Uint8Array(this.#bits.buffer, this.#bits.byteOffset, this.#bits.byteLength);
  }

  has(hash: number): boolean {
    const step = stepOf(hash);
    let place = hash >>> 0;
    for (let probe = 0; probe < PROBES; probe += 1) {
      const word = this.#bits[(place >>> 5) & (this.#bits.length - 1)] ?? 0;
      if ((word & (1 << (place & 31))) === 0) return false;
      place = (place + step) >>> 0;
    }
    return true;
  }

  add(hash: number): void {
    const step = stepOf(hash);
    let place = hash >>> 0;
    for (let probe = 0; probe < PROBES; probe += 1) {
      const index = (place >>> 5) & (this.#bits.length - 1);
      this.#bits[index] = (this.#bits[index] ?? 0) | (1 << (place & 31));
      place = (place + step) >>> 0;
    }
    this.#size += 1;
  }
}

/** Odd, so that the probes of a hash differ. */
function stepOf(hash: number): number {
  return (Math.floor(hash / 2 ** 20) | 1) >>> 0;
}
