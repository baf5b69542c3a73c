/**
 * Seals what must not lie readable on disk: AES-256-GCM under the master key.
 *
 * A sealed value is key id (4 bytes) ‖ nonce (12) ‖ ciphertext ‖ tag (16). The row's own key is the additional
 * data, so a value that was moved to another row doesn't open. The key id tells a foreign key from a damaged
 * value. Nonces are random: safe for 2^32 values under one key, and a value here is a block of items.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MasterKey } from './master-key.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = KEY_ID_BYTES + NONCE_BYTES;

/** How many bytes a sealed value is longer than what it holds. */
export const SEAL_BYTES = HEADER_BYTES + TAG_BYTES;

/** The value was sealed with another master key. */
export class ForeignKeyError extends Error {
  override readonly name = 'ForeignKeyError';
  /** Hex, like `MasterKey.id`. */
  readonly keyId: string;

  constructor(keyId: string, ownKeyId: string) {
    super(`sealed with the master key ${keyId}, and this is ${ownKeyId}`);
    this.keyId = keyId;
  }
}

/** The value, or the row it stands in, is not what was sealed. */
export class BrokenSealError extends Error {
  override readonly name = 'BrokenSealError';
}

export class RowCipher {
  readonly #masterKey: MasterKey;
  readonly #keyId: Buffer;

  constructor(masterKey: MasterKey) {
    this.#masterKey = masterKey;
    this.#keyId = Buffer.from(masterKey.id, 'hex');
  }

  /** `rowKey` must be given again to open it. */
  seal(plain: Uint8Array, rowKey: Uint8Array): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#masterKey.key, nonce);
    cipher.setAAD(rowKey);
    const ciphertext = cipher.update(plain);
    cipher.final();
    return Buffer.concat([this.#keyId, nonce, ciphertext, cipher.getAuthTag()]);
  }

  /** Whether it was sealed with another master key. */
  isForeign(sealed: Buffer): boolean {
    return !sealed.subarray(0, KEY_ID_BYTES).equals(this.#keyId);
  }

  /** Throws `ForeignKeyError` or `BrokenSealError`. */
  open(sealed: Buffer, rowKey: Uint8Array): Buffer {
    if (sealed.length < SEAL_BYTES) throw new BrokenSealError(`a sealed value of ${sealed.length} bytes`);
    if (this.isForeign(sealed)) {
      throw new ForeignKeyError(sealed.toString('hex', 0, KEY_ID_BYTES), this.#masterKey.id);
    }
    const end = sealed.length - TAG_BYTES;
    const decipher = createDecipheriv(
      ALGORITHM,
      this.#masterKey.key,
      sealed.subarray(KEY_ID_BYTES, HEADER_BYTES),
      {
        authTagLength: TAG_BYTES,
      },
    );
    decipher.setAAD(rowKey);
    decipher.setAuthTag(sealed.subarray(end));
    const plain = decipher.update(sealed.subarray(HEADER_BYTES, end));
    try {
      decipher.final();
    } catch (error) {
      throw new BrokenSealError('the tag of a sealed value is wrong', { cause: error });
    }
    return plain;
  }
}
