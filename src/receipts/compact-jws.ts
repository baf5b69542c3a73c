/**
 * Compact JWS (RFC 7515) with EdDSA over Ed25519 (RFC 8037): three texts in base64url, with dots between.
 *
 * Invariant: the header says what kind of thing is signed (`typ`), so one kind can't be passed off as another; a text
 * is taken only as it was written, so one signature is not found under two spellings. Rejected: a library. The needed
 * part of the standard is this page, and what libraries add, such as a choice of algorithms, is what goes wrong.
 */
import { verify } from 'node:crypto';
import type { PublicKeys, SigningKey } from './signing-key.ts';

export type Verified = { readonly payload: Buffer } | { readonly reason: string };

export function signJws(key: SigningKey, typ: string, payload: string): string {
  const header = JSON.stringify({ alg: 'EdDSA', kid: key.kid, typ });
  const signed = `${base64url(header)}.${base64url(payload)}`;
  return `${signed}.${key.sign(Buffer.from(signed)).toString('base64url')}`;
}

/** The signed payload, or, in a few words, the reason why the text counts for nothing. */
export function verifyJws(text: string, typ: string, keys: PublicKeys): Verified {
  const [header = '', payload = '', signature = '', ...more] = text.split('.');
  const [headerBytes, payloadBytes, signatureBytes] = [header, payload, signature].map(bytesOf);
  const isWhole = headerBytes !== undefined && payloadBytes !== undefined && signatureBytes !== undefined;
  if (!isWhole || more.length > 0) return { reason: 'it is not a compact JWS, or cut short' };
  const head = headerOf(headerBytes);
  if (head?.typ !== typ) return { reason: `its type is not ${typ}` };
  if (head.alg !== 'EdDSA' || head.crit !== undefined) return { reason: 'its algorithm is not EdDSA' };
  const key = keys.get(String(head.kid));
  if (key === undefined) return { reason: 'it is signed with a key that is not this shop’s' };
  if (!verify(null, Buffer.from(`${header}.${payload}`), key, signatureBytes)) {
    return { reason: 'its signature is wrong' };
  }
  return { payload: payloadBytes };
}

function headerOf(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const header: unknown = JSON.parse(bytes.toString());
    return typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}

/** Undefined when there is nothing, or the text isn't what its bytes are written as. */
function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return text !== '' && bytes.toString('base64url') === text ? bytes : undefined;
}
