/**
 * A record: a run or a manifest as it lies at a target, a line of JSON and a line with its tag.
 *
 * The tag is the HMAC-SHA256 of the object's name and of its JSON. So nobody who can only write to a target can change
 * a record, make one, or give one another name; a bit that flips is found.
 *
 * Its key follows (HKDF) from the key ring's fingerprint key, which never changes. So records of before a change of the
 * master key are proved as well, and a run can be proved before any key ring is at the target. Rejected: a data key,
 * which must be at the target before what it protects; and a signature, because readers of records have the key ring
 * anyway, and the seed that signs would have to be in one more thread.
 */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { BACKUP_FORMAT, type Manifest, type Run } from './target-layout.ts';

const KEY_BYTES = 32;
const CONTEXT = 'purser backup: runs and manifests';
/** The tag in hex, and a line feed. */
const TAG_CHARACTERS = 65;

/** `fingerprintKey` is the key ring's. */
export function recordKeyOf(fingerprintKey: Uint8Array): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', fingerprintKey, '', CONTEXT, KEY_BYTES)));
}

/** The record's bytes as they are to lie under `name`. */
export function encodeRecord(name: string, record: Run | Manifest, key: KeyObject): Buffer {
  const json = `${JSON.stringify(record)}\n`;
  return Buffer.from(`${json}${tagLine(name, Buffer.from(json), key)}`);
}

/** Undefined unless a node of the key's shop has written it under this name. */
export function openRecord<Kind extends Run | Manifest>(
  name: string,
  bytes: Buffer,
  key: KeyObject,
): Kind | undefined {
  const json = bytes.subarray(0, Math.max(0, bytes.length - TAG_CHARACTERS));
  const tag = Buffer.from(tagLine(name, json, key));
  if (bytes.length < tag.length || !timingSafeEqual(bytes.subarray(json.length), tag)) return undefined;
  const record = JSON.parse(json.toString()) as Kind;
  return record.format === BACKUP_FORMAT ? record : undefined;
}

/**
 * The record of `name`, read by `read` and proved; by a second reading when the first is wrong, because stores err in
 * answers, too. Undefined when it isn't there, or isn't what the shop wrote. Rejects as `read` does.
 */
export async function readRecord<Kind extends Run | Manifest>(
  name: string,
  key: KeyObject,
  read: (name: string) => Promise<Buffer | undefined>,
): Promise<Kind | undefined> {
  const once = async () => {
    const bytes = await read(name);
    return bytes && openRecord<Kind>(name, bytes, key);
  };
  return (await once()) ?? once();
}

/** Whose it says that it is, which nothing proves; undefined when it says nothing. */
export function shopSaidBy(bytes: Buffer | undefined): string | undefined {
  try {
    const [json = ''] = bytes?.toString().split('\n') ?? [];
    const { shop } = JSON.parse(json) as { readonly shop?: unknown };
    return typeof shop === 'string' ? shop : undefined;
  } catch {
    return undefined;
  }
}

function tagLine(name: string, json: Uint8Array, key: KeyObject): string {
  return `${createHmac('sha256', key).update(`${name}\n`).update(json).digest('hex')}\n`;
}
