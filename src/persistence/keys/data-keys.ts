/**
 * The keys that a folder has for its texts and secrets, in memory that all threads share: the data key seals and opens, the
 * fingerprint key finds texts without telling them. `key-ring.ts` keeps both on disk, sealed with the master key.
 *
 * Invariant: the keys are those of the folder's beginning. A key's id is the first four bytes of its SHA-256: a value of
 * another folder is told apart from a damaged one.
 */
import { createSecretKey, hash, type KeyObject } from 'node:crypto';

export const KEY_BYTES = 32;
export const KEY_ID_BYTES = 4;

/** A key that seals: a data key, or the master key. */
export interface SealingKey {
  readonly key: KeyObject;
  /** Hex, of `KEY_ID_BYTES`. */
  readonly id: string;
}

/** Tells keys apart without telling the key. Hex. */
export function keyId(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'buffer').toString('hex', 0, KEY_ID_BYTES);
}

export class DataKeys {
  /** The fingerprint key, then the data key. */
  readonly #shared: SharedArrayBuffer;
  readonly dataKey: SealingKey;

  private constructor(shared: SharedArrayBuffer) {
    this.#shared = shared;
    const bytes = Buffer.from(new Uint8Array(shared, KEY_BYTES));
    this.dataKey = { key: createSecretKey(bytes), id: keyId(bytes) };
  }

  static create(fingerprintKey: Uint8Array, dataKey: Uint8Array): DataKeys {
    const shared = new SharedArrayBuffer(2 * KEY_BYTES);
    const bytes = new Uint8Array(shared);
    bytes.set(fingerprintKey);
    bytes.set(dataKey, KEY_BYTES);
    return new DataKeys(shared);
  }

  /** The data keys in another thread. */
  static of(shared: SharedArrayBuffer): DataKeys {
    return new DataKeys(shared);
  }

  /** The bytes of both keys, to be handed to another thread. */
  get shared(): SharedArrayBuffer {
    return this.#shared;
  }

  /** The key of hashes that find texts without telling them (`stock-fingerprints.ts`). */
  get fingerprintKey(): Buffer {
    return Buffer.from(new Uint8Array(this.#shared, 0, KEY_BYTES));
  }
}
