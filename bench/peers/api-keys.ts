/** API keys of the peers' accounts: as long as Purser's, and kept as a hash, as a good team would. */
import { hash, randomBytes } from 'node:crypto';

/** The text is told once; the hash is what is stored. */
export function newApiKey(): { readonly apiKey: string; readonly hash: string } {
  const apiKey = `pk_live_${randomBytes(32).toString('base64url')}`;
  return { apiKey, hash: hashOfApiKey(apiKey) };
}

/** A key is 256 random bits: one round of SHA-256 is enough, and no salt is needed. 43 characters. */
export function hashOfApiKey(apiKey: string): string {
  return hash('sha256', apiKey, 'base64url');
}
