/**
 * API keys (SPEC.md §5): `pk_live_`, the account's number in 8 hexadecimal digits, 4 that tell one key of the
 * account from the next, and 32 that are secret.
 *
 * Only the SHA-256 of the whole is stored. The number finds the account, the digest is compared in constant
 * time, so that nothing is learnt from how long a wrong key takes.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Account, Accounts, ApiKey } from '../engine/accounts.ts';
import type { Scope } from '../engine/scope.ts';
import type { Exchange } from './transport/transport.ts';

const KEY_PREFIX = 'pk_live_';
const ACCOUNT_END = KEY_PREFIX.length + 8;
const NAME_LENGTH = ACCOUNT_END + 4;
const KEY_LENGTH = NAME_LENGTH + 32;
const BEARER = /^Bearer +(.+)$/i;

/** A new key: what its owner gets to see once, and what is stored of it. */
export function generateApiKey(
  accountId: number,
  scopes: readonly Scope[],
  nowMs: number,
): { apiKey: string; key: ApiKey } {
  const account = accountId.toString(16).padStart(ACCOUNT_END - KEY_PREFIX.length, '0');
  const apiKey = KEY_PREFIX + account + randomBytes(18).toString('hex');
  const prefix = apiKey.slice(0, NAME_LENGTH);
  return {
    apiKey,
    key: { prefix, sha256: hash('sha256', apiKey), scopes, issuedAtMs: nowMs, isActive: true },
  };
}

/**
 * The key that a request presents (SPEC.md §5). With `X-API-Key`, `Authorization` is not looked at, whatever it
 * says: a gateway in between may need it for itself, and a wrong key must not be rescued by another.
 */
export function presentedKey(exchange: Exchange): string | undefined {
  return exchange.header('x-api-key') ?? bearerToken(exchange);
}

export function bearerToken(exchange: Exchange): string | undefined {
  const authorization = exchange.header('authorization');
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

interface Verified {
  readonly accountId: number;
  readonly key: ApiKey;
}

/**
 * Finds the account of a key. The last key that was verified of each account is remembered, because hashing a key costs
 * more than the rest of its check. A remembered key counts for as long as it is its account's key, compared by
 * identity: a regenerated, revoked or deactivated key dies at once.
 *
 * Remembered keys are found by the table's hash of the whole key, which begins at random in every process: how long a
 * wrong one takes tells nothing of where it differs.
 */
export class KeyCheck {
  readonly #verified = new Map<string, Verified>();
  /** The remembered key of each account, by account number. */
  readonly #remembered: (string | undefined)[] = [];

  /** The account whose active key this is. */
  accountOf(accounts: Accounts, presented: string): Account | undefined {
    const verified = this.#verified.get(presented);
    if (verified !== undefined) {
      const account = accounts.get(verified.accountId);
      if (account?.key === verified.key) return account;
    }
    return this.#verify(accounts, presented);
  }

  #verify(accounts: Accounts, presented: string): Account | undefined {
    if (presented.length !== KEY_LENGTH) return undefined;
    const account = accounts.get(Number.parseInt(presented.slice(KEY_PREFIX.length, ACCOUNT_END), 16));
    if (account?.key == null || !account.key.isActive) return undefined;
    if (!isSameSecret(hash('sha256', presented), account.key.sha256)) return undefined;
    this.#remember(presented, account.accountId, account.key);
    return account;
  }

  #remember(presented: string, accountId: number, key: ApiKey): void {
    const before = this.#remembered[accountId];
    if (before !== undefined) this.#verified.delete(before);
    this.#remembered[accountId] = presented;
    this.#verified.set(presented, { accountId, key });
  }
}

/**
 * Compares two secrets of one length, in a time that doesn't depend on where they differ. By hand, because
 * `timingSafeEqual` wants buffers, and making them costs every request five times the comparison.
 */
export function isSameSecret(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < b.length; index += 1) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}
