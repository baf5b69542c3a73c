/**
 * Secrets of webhooks and suppliers as they lie on disk: sealed with a data key, for one purpose and, if it has
 * one, for one account. A secret that was moved to another account's row doesn't open. The engine and the journal
 * only ever hold what `seal` gives.
 */
import { type DataKeys, KEY_ID_BYTES } from './data-keys.ts';
import { BrokenSealError, ForeignKeyError, RowCipher } from './row-cipher.ts';

/** Characters of base64 that have a sealed value's key id. */
const ID_CHARACTERS = Math.ceil((KEY_ID_BYTES * 4) / 3);

export class SecretCipher {
  readonly #cipher: RowCipher;
  readonly #purpose: string;

  constructor(keys: DataKeys, purpose: 'webhook secret' | 'supplier secret') {
    this.#cipher = new RowCipher(keys);
    this.#purpose = purpose;
  }

  /** Base64. */
  seal(secret: string, accountId?: number): string {
    return this.#cipher.seal(Buffer.from(secret), this.#rowKey(accountId)).toString('base64');
  }

  /** Undefined when it doesn't open: it was sealed with another folder's key, for another account or purpose. */
  open(sealedSecret: string, accountId?: number): string | undefined {
    try {
      return this.#cipher.open(Buffer.from(sealedSecret, 'base64'), this.#rowKey(accountId)).toString();
    } catch (error) {
      if (error instanceof ForeignKeyError || error instanceof BrokenSealError) return undefined;
      throw error;
    }
  }

  /** The secret sealed with the newest data key; undefined when it is already, or doesn't open. */
  sealAnew(sealedSecret: string, accountId?: number): string | undefined {
    if (!this.#cipher.isOld(Buffer.from(sealedSecret.slice(0, ID_CHARACTERS), 'base64'))) return undefined;
    const secret = this.open(sealedSecret, accountId);
    return secret === undefined ? undefined : this.seal(secret, accountId);
  }

  #rowKey(accountId: number | undefined): Buffer {
    return Buffer.from(accountId === undefined ? this.#purpose : `${this.#purpose} of account ${accountId}`);
  }
}
