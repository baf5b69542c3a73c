/**
 * Secrets of webhooks and suppliers as they lie on disk: sealed with a data key, for one purpose and, if it has
 * one, for one account. A secret that was moved to another account's row doesn't open. The engine and the journal
 * only ever hold what `seal` gives.
 */
import type { DataKeys } from './data-keys.ts';
import { KeyError } from './key-error.ts';
import { RowCipher } from './row-cipher.ts';

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
      if (error instanceof KeyError) return undefined;
      throw error;
    }
  }

  #rowKey(accountId: number | undefined): Buffer {
    return Buffer.from(accountId === undefined ? this.#purpose : `${this.#purpose} of account ${accountId}`);
  }
}
