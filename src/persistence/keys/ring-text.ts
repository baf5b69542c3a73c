/**
 * A key ring as text: a line with the format, a copy of the keys for each master key that opens them, and a checksum. So
 * it lies in a data folder (`key-ring.ts`), and in a backup.
 */
import { hash } from 'node:crypto';
import { DataKeys, KEY_BYTES, KEY_ID_BYTES } from './data-keys.ts';
import { KeyError } from './key-error.ts';
import type { MasterKey } from './master-key.ts';
import { openWith, sealWith } from './row-cipher.ts';

const FORMAT = 'purser key ring, version 1';
/** SHA-256 in hex, and a line feed. */
const CHECKSUM_CHARACTERS = 65;
const CONTEXT = Buffer.from('purser key ring');
const SHOP_CONTEXT = Buffer.from('purser shop');
const SHOP_CHARACTERS = 32;

/** Keys of a shop; none of them ever changes. */
export interface RingKeys {
  /** The key of hashes that find texts (`stock-fingerprints.ts`). */
  readonly fingerprintKey: Buffer;
  /** The seed of the Ed25519 key that signs what the shop vouches for. */
  readonly signingSeed: Buffer;
  /** The key that seals texts and secrets, and the chunks of backups. */
  readonly dataKey: Buffer;
}

/** Where a ring's text is from, and the key that is to open it. */
export interface RingSource {
  /** The ring's name in errors: a file. */
  readonly name: string;
  readonly masterKey: MasterKey;
  /** The origin of the master key, as errors name it. */
  readonly keyOrigin: string;
}

/** Names the shop whose ring it is, for ever. Hex; no secret. */
export function shopOf({ fingerprintKey }: RingKeys): string {
  return hash('sha256', Buffer.concat([SHOP_CONTEXT, fingerprintKey])).slice(0, SHOP_CHARACTERS);
}

/** The keys that open whatever was ever sealed, in the folder or in its backups. */
export function dataKeysOf({ fingerprintKey, dataKey }: RingKeys): DataKeys {
  return DataKeys.create(fingerprintKey, dataKey);
}

export function ringText(masterKeys: readonly MasterKey[], keys: RingKeys): string {
  const base64 = (key: Buffer) => key.toString('base64');
  const payload = Buffer.from(
    JSON.stringify({
      fingerprintKey: base64(keys.fingerprintKey),
      signingSeed: base64(keys.signingSeed),
      dataKey: base64(keys.dataKey),
    }),
  );
  const copies = masterKeys.map((masterKey) => sealWith(masterKey, payload, CONTEXT).toString('base64'));
  const text = `${[FORMAT, ...copies].join('\n')}\n`;
  return `${text}${hash('sha256', text)}\n`;
}

/** Throws `KeyError`: `other-key` when the key opens no copy, and `ring` when the text is damaged. */
export function openRingText(
  text: string,
  source: RingSource,
): { readonly keys: RingKeys; readonly copies: number } {
  const [format, ...copies] = text.slice(0, -CHECKSUM_CHARACTERS).split('\n').slice(0, -1);
  const checksum = `${hash('sha256', text.slice(0, -CHECKSUM_CHARACTERS))}\n`;
  if (format !== FORMAT || copies.length === 0 || !text.endsWith(checksum)) throw damagedRing(source.name);
  const sealed = copies.map((copy) => Buffer.from(copy, 'base64'));
  const ids = sealed.map((copy) => copy.toString('hex', 0, KEY_ID_BYTES));
  const own = sealed[ids.indexOf(source.masterKey.id)];
  if (own === undefined) throw wrongKey(ids, source);
  try {
    return { keys: parseKeys(openWith(source.masterKey.key, own, CONTEXT)), copies: copies.length };
  } catch (error) {
    throw damagedRing(source.name, error);
  }
}

export function damagedRing(name: string, cause?: unknown): KeyError {
  return new KeyError('ring', `${name} is damaged: restore a backup`, { cause });
}

function parseKeys(payload: Buffer): RingKeys {
  const { fingerprintKey, signingSeed, dataKey } = JSON.parse(payload.toString()) as Readonly<
    Record<keyof RingKeys, string>
  >;
  return {
    fingerprintKey: keyBytes(fingerprintKey),
    signingSeed: keyBytes(signingSeed),
    dataKey: keyBytes(dataKey),
  };
}

function keyBytes(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== KEY_BYTES) throw new Error('a key has a wrong length');
  return bytes;
}

function wrongKey(ids: readonly string[], { name, masterKey, keyOrigin }: RingSource): KeyError {
  return new KeyError(
    'other-key',
    `the master key is not the one that opens this data folder: ${name} needs the key with the id ` +
      `${ids.join(' or ')}, and the one from ${keyOrigin} has ${masterKey.id}; after \`purser rekey\` only the new ` +
      'key opens it, and a backup from before only the old one; move key-ring away only if its key is lost for ' +
      'good and there is no stock',
    { neededIds: ids },
  );
}
