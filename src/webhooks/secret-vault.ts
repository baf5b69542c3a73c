/**
 * Webhook secrets as they lie on disk: sealed with the master key, each bound to its account, so that a secret moved
 * to another account's row doesn't open. The engine and the journal only ever hold what `seal` gives.
 */
import type { Account } from '../engine/accounts.ts';
import type { MasterKey } from '../persistence/disk/master-key.ts';
import { BrokenSealError, ForeignKeyError, RowCipher } from '../persistence/disk/row-cipher.ts';

export class SecretVault {
  readonly #cipher: RowCipher;

  constructor(masterKey: MasterKey) {
    this.#cipher = new RowCipher(masterKey);
  }

  /** Base64. */
  seal(accountId: number, secret: string): string {
    return this.#cipher.seal(Buffer.from(secret), rowKey(accountId)).toString('base64');
  }

  /** Undefined when this master key doesn't open it: it was sealed with another, or for another account. */
  open(accountId: number, sealedSecret: string): string | undefined {
    try {
      return this.#cipher.open(Buffer.from(sealedSecret, 'base64'), rowKey(accountId)).toString();
    } catch (error) {
      if (error instanceof ForeignKeyError || error instanceof BrokenSealError) return undefined;
      throw error;
    }
  }

  /** Which of the accounts have a webhook whose secret this master key doesn't open. */
  unreadable(accounts: Iterable<Account>): number[] {
    const accountIds = [];
    for (const { accountId, webhook } of accounts) {
      if (webhook === null || this.open(accountId, webhook.sealedSecret) !== undefined) continue;
      accountIds.push(accountId);
    }
    return accountIds;
  }
}

function rowKey(accountId: number): Buffer {
  return Buffer.from(`webhook secret of account ${accountId}`);
}
