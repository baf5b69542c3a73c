/**
 * The secrets of accounts that were delivered to lately: opening one takes as long as signing with it. An account's is
 * found only by what lies on disk, so one that was replaced is never used. A bounded number; those that were opened
 * longest ago are opened again.
 */
import { LatestEntries } from '../../outgoing/latest-entries.ts';
import type { SecretCipher } from '../../persistence/disk/secret-cipher.ts';

const MAX_SECRETS = 4_096;

interface Opened {
  readonly sealedSecret: string;
  readonly secret: string;
}

export class OpenedSecrets {
  readonly #cipher: Pick<SecretCipher, 'open'>;
  readonly #byAccount = new LatestEntries<number, Opened>(MAX_SECRETS);

  constructor(cipher: Pick<SecretCipher, 'open'>) {
    this.#cipher = cipher;
  }

  /** Undefined when the master key doesn't open it. */
  open(accountId: number, sealedSecret: string): string | undefined {
    const opened = this.#byAccount.get(accountId);
    if (opened?.sealedSecret === sealedSecret) return opened.secret;
    const secret = this.#cipher.open(sealedSecret, accountId);
    if (secret !== undefined) this.#byAccount.set(accountId, { sealedSecret, secret });
    return secret;
  }
}
