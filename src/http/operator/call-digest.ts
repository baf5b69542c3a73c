/**
 * The digest of a call that may be repeated: method, path, query and body, without `reason`. By it a key is known to be
 * used for the same call again (`src/engine/decide/keyed-calls.ts`).
 *
 * Bodies may have codes and secrets, so the hash has a secret key: whoever has the journal alone can't try guesses
 * against it. The order of a JSON body's fields, and of the query's, counts for nothing.
 */
import type { Hmac } from 'node:crypto';
import { canonicalJson } from '../../persistence/codec/canonical-json.ts';

/** Makes a keyed SHA-256. */
export type KeyedHash = () => Hmac;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The digest of a call without its body, which the caller adds. */
export function beginDigest(keyedHash: KeyedHash, { method, path, query }: Call): Hmac {
  const fields = [...query].filter(([field]) => field !== 'reason').sort();
  return keyedHash().update(`${JSON.stringify([method, path, fields])}\n`);
}

/** The digest of a call with a JSON body, or with none. */
export function digestOf(keyedHash: KeyedHash, call: Call, body: object): string {
  return beginDigest(keyedHash, call).update(canonicalJson(body)).digest('hex');
}
