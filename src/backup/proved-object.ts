/**
 * Objects that are believed to be at a target only because they were read back.
 *
 * A target may say that it has stored what it hasn't, or something else; and when a call fails, nobody knows whether the
 * object is there. So whatever came of writing, reading decides.
 */
import { hash } from 'node:crypto';
import { type BackupTarget, TargetError } from './target/backup-target.ts';
import type { StoredObject } from './target-layout.ts';

/** A read that went wrong may go right the next time; an object that is wrong stays wrong. */
const READS = 2;

/**
 * Undefined when `bytes` are under this name now; else what is there instead. Rejects with `TargetError`; then it may be
 * there.
 */
export async function prove(
  target: BackupTarget,
  name: string,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  await target.create(name, bytes, { signal });
  let found: Buffer | undefined;
  for (let read = 0; read < READS; read += 1) {
    found = await target.read(name, { signal });
    if (found?.equals(bytes) === true) return undefined;
  }
  if (found === undefined) {
    throw new TargetError('invalid', `${target.url} says that ${name} is stored, and doesn't have it`);
  }
  return found;
}

export function storedObject(name: string, bytes: Uint8Array): StoredObject {
  return { name, bytes: bytes.length, sha256: hash('sha256', bytes) };
}
