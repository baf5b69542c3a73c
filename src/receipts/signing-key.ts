/**
 * The shop's own Ed25519 key: it signs what the shop vouches for, and anybody proves it with the public half.
 *
 * Invariant: the key follows from the seed in the key ring alone, so it is the same in a copy of the folder, after a
 * restore and after every change of the master key; its id is the RFC 7638 thumbprint, so it follows from the key, too.
 * Rejected: a key file of its own, which a backup could miss; and a new key a year, because receipts are kept for years.
 */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';

/** A public key as `GET /receipt-keys` has it (RFC 8037, and RFC 7517 for what is not of the curve). */
export interface PublicJwk {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  /** The 32 bytes of the key, base64url. */
  readonly x: string;
  readonly kid: string;
  readonly alg: 'EdDSA';
  readonly use: 'sig';
}

/** The bytes of PKCS #8 (RFC 8410) before the seed. */
const SEED_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

export class SigningKey {
  readonly jwk: PublicJwk;
  readonly #key: KeyObject;

  private constructor(key: KeyObject, jwk: PublicJwk) {
    this.#key = key;
    this.jwk = jwk;
  }

  /** `seed` has 32 bytes (`KeyRing.signingSeed`). */
  static fromSeed(seed: Uint8Array): SigningKey {
    const der = Buffer.concat([SEED_HEAD, seed]);
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
    return new SigningKey(key, {
      kty: 'OKP',
      crv: 'Ed25519',
      x,
      kid: thumbprintOf(x),
      alg: 'EdDSA',
      use: 'sig',
    });
  }

  get kid(): string {
    return this.jwk.kid;
  }

  sign(bytes: Uint8Array): Buffer {
    return sign(null, bytes, this.#key);
  }
}

/** The shop's public keys, by their ids. */
export class PublicKeys {
  readonly #byId: ReadonlyMap<string, KeyObject>;

  /** Throws when one is no key. Ids that are given are not believed. */
  constructor(jwks: readonly Pick<PublicJwk, 'kty' | 'crv' | 'x'>[]) {
    this.#byId = new Map(
      jwks.map(({ kty, crv, x }) => [
        thumbprintOf(x),
        createPublicKey({ key: { kty, crv, x }, format: 'jwk' }),
      ]),
    );
  }

  get(kid: string): KeyObject | undefined {
    return this.#byId.get(kid);
  }
}

/** RFC 7638: the members that make the key, in the order of their names. */
function thumbprintOf(x: string): string {
  return hash('sha256', JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }), 'base64url');
}
