/**
 * The keys that seal what must not lie readable on disk, in memory that all threads share. The newest seals; the older
 * ones open what they sealed before. `key-ring.ts` keeps them on disk, sealed with the master key.
 *
 * Invariant: a key is on disk before it is here, and stays here until the process ends; so whatever was sealed a moment
 * ago opens, in every thread. A key's id is the first four bytes of its SHA-256: a value of another folder is told
 * apart from a damaged one. Rejected: to hand keys to threads by messages, which a thread hears only between its tasks,
 * and a task could bring what is sealed with a key that the thread hasn't heard of.
 */
import { createSecretKey, hash, type KeyObject } from 'node:crypto';

export const KEY_BYTES = 32;
export const KEY_ID_BYTES = 4;
/** Room for one for each `purser rekey --data-keys` of this process, beside those it began with, however many. */
const MAX_NEW_KEYS = 256;
/** The count, then the fingerprint key, then the data keys. */
const COUNT_BYTES = Int32Array.BYTES_PER_ELEMENT;

/** A key that seals: a data key, or the master key. */
export interface SealingKey {
  readonly key: KeyObject;
  /** Hex, of `KEY_ID_BYTES`. */
  readonly id: string;
}

export interface DataKey extends SealingKey {
  /** The id as a number. */
  readonly number: number;
}

/** Tells keys apart without telling the key. Hex. */
export function keyId(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'buffer').toString('hex', 0, KEY_ID_BYTES);
}

export class DataKeys {
  readonly #shared: SharedArrayBuffer;
  readonly #count: Int32Array;
  /** The newest first. */
  #known: readonly DataKey[] = [];

  private constructor(shared: SharedArrayBuffer) {
    this.#shared = shared;
    this.#count = new Int32Array(shared, 0, 1);
  }

  /** The keys of a key ring: `keys` are the data keys, the newest last. */
  static create(fingerprintKey: Uint8Array, keys: readonly Uint8Array[]): DataKeys {
    const bytes = COUNT_BYTES + (1 + keys.length + MAX_NEW_KEYS) * KEY_BYTES;
    const dataKeys = new DataKeys(new SharedArrayBuffer(bytes));
    dataKeys.#placeOf(-1).set(fingerprintKey);
    for (const key of keys) dataKeys.add(key);
    return dataKeys;
  }

  /** The data keys in another thread. */
  static of(shared: SharedArrayBuffer): DataKeys {
    return new DataKeys(shared);
  }

  /** The bytes of both keys, to be handed to another thread. */
  get shared(): SharedArrayBuffer {
    return this.#shared;
  }

  /** The key of hashes that find texts without telling them (`stock-fingerprints.ts`). This key never changes. */
  get fingerprintKey(): Buffer {
    return Buffer.from(this.#placeOf(-1));
  }

  /** Adds a data key, which seals from now on, in all threads. The key must be on disk by now. */
  add(bytes: Uint8Array): void {
    if (this.isFull) throw new RangeError('too many data keys for one process');
    const count = Atomics.load(this.#count, 0);
    this.#placeOf(count).set(bytes);
    Atomics.store(this.#count, 0, count + 1);
  }

  /** Whether there is no room for another one before the process starts again. */
  get isFull(): boolean {
    return this.#shared.byteLength < COUNT_BYTES + (2 + Atomics.load(this.#count, 0)) * KEY_BYTES;
  }

  /** The key that seals. */
  get newest(): DataKey {
    const [newest] = this.#all();
    if (newest === undefined) throw new Error('there is no data key');
    return newest;
  }

  /** The key with this id, as a number; undefined when there is none. */
  get(number: number): DataKey | undefined {
    for (const key of this.#all()) if (key.number === number) return key;
    return undefined;
  }

  #all(): readonly DataKey[] {
    const count = Atomics.load(this.#count, 0);
    if (count === this.#known.length) return this.#known;
    const added = Array.from({ length: count - this.#known.length }, (_, index) => {
      const bytes = Buffer.from(this.#placeOf(count - 1 - index));
      const id = keyId(bytes);
      return { key: createSecretKey(bytes), id, number: Number.parseInt(id, 16) };
    });
    this.#known = [...added, ...this.#known];
    return this.#known;
  }

  #placeOf(index: number): Uint8Array {
    return new Uint8Array(this.#shared, COUNT_BYTES + (1 + index) * KEY_BYTES, KEY_BYTES);
  }
}
