/**
 * The table of accounts: profile, API key and wallet of each, all in memory.
 *
 * What always holds: a key's prefix names at most one account, so a request is authenticated by one look-up
 * and one comparison of digests. The key itself is nowhere; only its SHA-256 is.
 */
import type { Scope } from './scope.ts';

export interface ApiKey {
  /** The public part that names the key, shown to operators. */
  readonly prefix: string;
  /** SHA-256 of the whole key, 64 lower-case hex digits. */
  readonly sha256: string;
  readonly scopes: readonly Scope[];
  readonly issuedAtMs: number;
}

/** What an operator decides about an account. */
export interface AccountProfile {
  readonly name: string;
  /** Requests a minute and key; null lifts the limit (SPEC.md §8). */
  readonly rateLimitPerMinute: number | null;
  /** Webhook deliveries of this account under way at once. */
  readonly webhookConcurrency: number;
}

export interface Account {
  readonly accountId: number;
  profile: AccountProfile;
  key: ApiKey | null;
  /** What can be spent, in micro-USDT; never negative. */
  walletMicros: number;
  /** What is set aside for purchases in progress, in micro-USDT; never negative. */
  heldMicros: number;
  readonly createdAtMs: number;
}

export class Accounts {
  readonly #byId = new Map<number, Account>();
  readonly #byKeyPrefix = new Map<string, Account>();
  #lastId = 0;

  get size(): number {
    return this.#byId.size;
  }

  get nextId(): number {
    return this.#lastId + 1;
  }

  get(accountId: number): Account | undefined {
    return this.#byId.get(accountId);
  }

  byKeyPrefix(prefix: string): Account | undefined {
    return this.#byKeyPrefix.get(prefix);
  }

  values(): IterableIterator<Account> {
    return this.#byId.values();
  }

  add(account: Account): void {
    this.#byId.set(account.accountId, account);
    this.#lastId = Math.max(this.#lastId, account.accountId);
    if (account.key !== null) this.#byKeyPrefix.set(account.key.prefix, account);
  }

  /** Puts `key` in the place of the account's key; the one before stops naming the account at once. */
  setKey(account: Account, key: ApiKey | null): void {
    if (account.key !== null) this.#byKeyPrefix.delete(account.key.prefix);
    account.key = key;
    if (key !== null) this.#byKeyPrefix.set(key.prefix, account);
  }
}
