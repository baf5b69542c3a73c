/**
 * API keys (SPEC.md §5): `pk_live_`, 12 characters that name the key, 32 that are secret.
 *
 * Only the SHA-256 of the whole is stored. The name finds the account, the digest is compared in constant
 * time, so that nothing is learnt from how long a wrong key takes.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Account, Accounts, ApiKey } from '../engine/accounts.ts';
import type { Scope } from '../engine/scope.ts';
import type { Exchange } from './transport/transport.ts';

const KEY_PREFIX = 'pk_live_';
const NAME_LENGTH = KEY_PREFIX.length + 12;
const KEY_LENGTH = NAME_LENGTH + 32;
const SHA256_HEX_LENGTH = 64;
const BEARER = /^Bearer +(.+)$/i;

/** A new key: what its owner gets to see once, and what is stored of it. */
export function generateApiKey(scopes: readonly Scope[], nowMs: number): { apiKey: string; key: ApiKey } {
  const apiKey = KEY_PREFIX + randomBytes(22).toString('hex');
  const prefix = apiKey.slice(0, NAME_LENGTH);
  return { apiKey, key: { prefix, sha256: hash('sha256', apiKey), scopes, issuedAtMs: nowMs } };
}

/** The key that a request presents; `X-API-Key` counts before `Authorization: Bearer`. */
export function presentedKey(exchange: Exchange): string | undefined {
  return exchange.header('x-api-key') ?? bearerToken(exchange);
}

export function bearerToken(exchange: Exchange): string | undefined {
  const authorization = exchange.header('authorization');
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

/** The account whose active key this is. */
export function accountOfKey(accounts: Accounts, presented: string): Account | undefined {
  if (presented.length !== KEY_LENGTH) return undefined;
  const account = accounts.byKeyPrefix(presented.slice(0, NAME_LENGTH));
  if (account?.key == null) return undefined;
  return isSameDigest(hash('sha256', presented), account.key.sha256) ? account : undefined;
}

/**
 * Compares two SHA-256 digests in hexadecimal, in a time that doesn't depend on where they differ. By hand,
 * because `timingSafeEqual` wants buffers, and making them costs every request five times the comparison.
 */
export function isSameDigest(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let index = 0; index < SHA256_HEX_LENGTH; index += 1) {
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  }
  return difference === 0;
}
