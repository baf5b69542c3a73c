/**
 * A block of a run of keys: up to 254 keys, ascending by hash, each with the reference of its outcome.
 *
 * 16 bytes a key, as doubles, so that a block is read and written by one copy. 254 of them fill one page of LMDB, or a
 * block of a run file, and a block is never changed.
 */
import { DamagedDataError } from '../../codec/byte-reader.ts';
import { readNumberKey, writeNumberKey } from '../../codec/number-key.ts';
import { seal, unseal } from '../../codec/sealed-row.ts';

export const KEYS_PER_BLOCK = 254;
const KEY_BYTES = 16;
const PLACE_BYTES = 16;

/** Where a block lies: its run, the hash of its first key, its number in the run. */
export interface BlockPlace {
  readonly run: number;
  readonly firstHash: number;
  readonly block: number;
}

export const MAX_BLOCK = 2 ** 32 - 1;

export function encodePlace({ run, firstHash, block }: BlockPlace): Buffer {
  const key = Buffer.allocUnsafe(PLACE_BYTES);
  key.writeUInt32BE(run, 0);
  writeNumberKey(key, firstHash, 4);
  key.writeUInt32BE(block, 12);
  return key;
}

/** Where the first block of a run lies, or behind. */
export function startOfRun(run: number): Buffer {
  return encodePlace({ run, firstHash: 0, block: 0 });
}

export function decodePlace(bytes: Uint8Array): BlockPlace {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (key.length !== PLACE_BYTES) throw new DamagedDataError('the position of a block of keys is damaged');
  return { run: key.readUInt32BE(0), firstHash: readNumberKey(key, 4), block: key.readUInt32BE(12) };
}

export class KeyBlock {
  /** Hash and reference by turns. */
  readonly #numbers: Float64Array;
  #count: number;

  constructor(numbers = new Float64Array(KEYS_PER_BLOCK * 2), count = 0) {
    this.#numbers = numbers;
    this.#count = count;
  }

  /** Throws `DamagedDataError` when the row is not what was written in this place. */
  static decode(place: Uint8Array, row: Uint8Array): KeyBlock {
    return KeyBlock.of(unseal('keys', place, row));
  }

  /** The block whose `bytes` these are. Throws `DamagedDataError`. */
  static of(payload: Uint8Array): KeyBlock {
    if (payload.length === 0 || payload.length % KEY_BYTES !== 0) {
      throw new DamagedDataError(`a block of keys has ${payload.length} bytes`);
    }
    const numbers = new Float64Array(payload.length / 8);
    new Uint8Array(numbers.buffer).set(payload);
    return new KeyBlock(numbers, payload.length / KEY_BYTES);
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === KEYS_PER_BLOCK;
  }

  hash(index: number): number {
    return this.#numbers[index * 2] ?? Number.POSITIVE_INFINITY;
  }

  ref(index: number): number {
    return this.#numbers[index * 2 + 1] ?? 0;
  }

  /** Adds a key, whose hash must not be below the last one. */
  add(hash: number, ref: number): void {
    this.#numbers[this.#count * 2] = hash;
    this.#numbers[this.#count * 2 + 1] = ref;
    this.#count += 1;
  }

  clear(): void {
    this.#count = 0;
  }

  encode(place: Uint8Array): Buffer {
    return seal(place, this.bytes);
  }

  /** The block's bytes, which are not a copy. */
  get bytes(): Uint8Array {
    return new Uint8Array(this.#numbers.buffer, 0, this.#count * KEY_BYTES);
  }

  /** The first key whose hash is not below `hash`; `count` when there is none. */
  indexOf(hash: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.hash(middle) < hash) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
