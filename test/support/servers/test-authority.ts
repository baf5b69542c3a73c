/**
 * A certificate authority of one test's own, and certificates by it: X.509 (RFC 5280), with as few fields as TLS
 * needs, in DER. The libraries that make certificates bring ten to twenty packages for what these lines do.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** As `tls.createServer` takes them, in PEM. */
export interface Credentials {
  readonly key: string;
  readonly cert: string;
}

const DAY_MS = 86_400_000;

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  bytes: 0x04,
  text: 0x0c,
  time: 0x17,
  sequence: 0x30,
  set: 0x31,
  version: 0xa0,
  extensions: 0xa3,
  dnsName: 0x82,
  ipAddress: 0x87,
} as const;

/** Object identifiers, encoded. */
const OID = {
  commonName: Buffer.from('0603550403', 'hex'),
  subjectAltName: Buffer.from('0603551d11', 'hex'),
  basicConstraints: Buffer.from('0603551d13', 'hex'),
  ecdsaWithSha256: Buffer.from('06082a8648ce3d040302', 'hex'),
} as const;

export class TestAuthority {
  /** The authority's own certificate: what a client must trust. */
  readonly certificate: string;
  readonly #key: KeyObject;
  readonly #name = `Test authority ${randomBytes(4).toString('hex')}`;

  constructor() {
    const { privateKey, publicKey } = newKeys();
    this.#key = privateKey;
    const isAuthority = der(TAG.sequence, der(TAG.boolean, [0xff]));
    this.certificate = this.#certify(this.#name, publicKey, extension(OID.basicConstraints, isAuthority), 0);
  }

  /** For DNS names and IP addresses; `expired` since yesterday. */
  issue(names: readonly string[], validity: 'valid' | 'expired' = 'valid'): Credentials {
    const { privateKey, publicKey } = newKeys();
    const alternatives = names.map((name) =>
      isIP(name) === 0
        ? der(TAG.dnsName, Buffer.from(name))
        : der(TAG.ipAddress, ipaddr.parse(name).toByteArray()),
    );
    const extensions = extension(OID.subjectAltName, der(TAG.sequence, ...alternatives));
    const ageMs = validity === 'expired' ? 3 * DAY_MS : 0;
    return {
      key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      cert: this.#certify('Test receiver', publicKey, extensions, ageMs),
    };
  }

  #certify(subject: string, key: KeyObject, extensions: Buffer, ageMs: number): string {
    const algorithm = der(TAG.sequence, OID.ecdsaWithSha256);
    const fromMs = Date.now() - DAY_MS - ageMs;
    const unsigned = der(
      TAG.sequence,
      der(TAG.version, der(TAG.integer, [2])),
      der(TAG.integer, [1, ...randomBytes(8)]),
      algorithm,
      nameOf(this.#name),
      der(TAG.sequence, timeOf(fromMs), timeOf(fromMs + 2 * DAY_MS)),
      nameOf(subject),
      key.export({ type: 'spki', format: 'der' }),
      der(TAG.extensions, der(TAG.sequence, extensions)),
    );
    const signature = der(TAG.bits, [0], sign('sha256', unsigned, this.#key));
    return pem(der(TAG.sequence, unsigned, algorithm, signature));
  }
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}

function der(tag: number, ...parts: readonly (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Uint8Array.from(part)));
  return Buffer.concat([Uint8Array.of(tag, ...lengthOf(content.length)), content]);
}

/** As short as it can be: strict readers take nothing else. */
function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function nameOf(commonName: string): Buffer {
  const part = der(TAG.sequence, OID.commonName, der(TAG.text, Buffer.from(commonName)));
  return der(TAG.sequence, der(TAG.set, part));
}

/** `YYMMDDhhmmssZ`. */
function timeOf(unixMs: number): Buffer {
  const digits = new Date(unixMs).toISOString().replaceAll(/\D/g, '').slice(2, 14);
  return der(TAG.time, Buffer.from(`${digits}Z`));
}

function extension(oid: Buffer, value: Buffer): Buffer {
  return der(TAG.sequence, oid, der(TAG.bytes, value));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').replaceAll(/.{1,64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}-----END CERTIFICATE-----\n`;
}
