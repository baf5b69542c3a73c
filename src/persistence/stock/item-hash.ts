/**
 * The hash by which a receipt names an item (docs/receipts.md): whoever has the text can prove that it was delivered.
 *
 * Invariant: the hash is the same for ever, for buyers compute it too.
 */
import { hash } from 'node:crypto';

/** SHA-256 (base64url) of the salt's bytes and the text in UTF-8. */
export function itemHash(salt: Uint8Array, text: string): string {
  return hash('sha256', Buffer.concat([salt, Buffer.from(text)]), 'base64url');
}
