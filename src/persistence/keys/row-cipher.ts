/**
 * Seals what must not lie readable on disk: AES-256-GCM under a data key.
 *
 * A sealed value is key id (4 bytes) ‖ nonce (12) ‖ ciphertext ‖ tag (16). The row's own key is the additional
 * data, so a value that was moved to another row doesn't open. The key id tells a foreign key from a damaged value.
 * Nonces are random: safe for 2^32 values under one key, and a value here is a block of items.
 */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { type DataKeys, KEY_ID_BYTES, type SealingKey } from './data-keys.ts';
import { KeyError } from './key-error.ts';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = KEY_ID_BYTES + NONCE_BYTES;

/** How many bytes a sealed value is longer than what it holds. */
export const SEAL_BYTES = HEADER_BYTES + TAG_BYTES;

export class RowCipher {
  readonly #key: SealingKey;
  readonly #keyNumber: number;

  constructor({ dataKey }: DataKeys) {
    this.#key = dataKey;
    this.#keyNumber = Number.parseInt(dataKey.id, 16);
  }

  /** `rowKey` must be given again to open it. */
  seal(plain: Uint8Array, rowKey: Uint8Array): Buffer {
    return sealWith(this.#key, plain, rowKey);
  }

  /** Throws `KeyError`. */
  open(sealed: Buffer, rowKey: Uint8Array): Buffer {
    if (sealed.length < SEAL_BYTES) throw tooShort(sealed);
    if (sealed.readUInt32BE(0) !== this.#keyNumber) throw foreignKey(sealed.toString('hex', 0, KEY_ID_BYTES));
    return openWith(this.#key.key, sealed, rowKey);
  }
}

/** `context` must be given again to open it. */
export function sealWith({ id, key }: SealingKey, plain: Uint8Array, context: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce);
  cipher.setAAD(context);
  const ciphertext = cipher.update(plain);
  cipher.final();
  return Buffer.concat([Buffer.from(id, 'hex'), nonce, ciphertext, cipher.getAuthTag()]);
}

/** Opens a value with `key`, with whose id it begins. Throws `KeyError`. */
export function openWith(key: KeyObject, sealed: Buffer, context: Uint8Array): Buffer {
  if (sealed.length < SEAL_BYTES) throw tooShort(sealed);
  const end = sealed.length - TAG_BYTES;
  const nonce = sealed.subarray(KEY_ID_BYTES, HEADER_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(context);
  decipher.setAuthTag(sealed.subarray(end));
  const plain = decipher.update(sealed.subarray(HEADER_BYTES, end));
  try {
    decipher.final();
  } catch (error) {
    throw new KeyError('seal', 'the tag of a sealed value is wrong', { cause: error });
  }
  return plain;
}

/** The value was sealed with a data key that this folder doesn't have. */
function foreignKey(keyId: string): KeyError {
  return new KeyError('seal', `sealed with the data key ${keyId}, which is not in key-ring`);
}

function tooShort(sealed: Buffer): KeyError {
  return new KeyError('seal', `a sealed value of ${sealed.length} bytes`);
}
