/**
 * Heads of the journal that the shop signed, as they lie at a source: what they speak of was there once, and must be the
 * same. So neither objects that are missing at the end nor a history that was written anew go unseen, up to the newest.
 */
import type { LogHead } from '../persistence/journal/frame-log.ts';
import { verifyHead } from '../receipts/signed-head.ts';
import { PublicKeys, SigningKey } from '../receipts/signing-key.ts';
import type { BackupSource } from './backup-source.ts';
import { RestoreError } from './restore-error.ts';
import type { SourceKeys } from './source-keys.ts';

export function headPosition(name: string): number {
  return Number(/(\d+)\.jws$/.exec(name)?.[1]);
}

/** Rejects with `RestoreError` when it isn't what the shop signed. */
export async function readSignedHead(source: BackupSource, name: string, keys: SourceKeys): Promise<LogHead> {
  const text = (await source.require(name)).toString();
  const verified = verifyHead(text, new PublicKeys([SigningKey.fromSeed(keys.ring.signingSeed).jwk]));
  const reason = 'reason' in verified ? verified.reason : undefined;
  const head = 'head' in verified ? verified.head : undefined;
  if (head?.shop !== keys.shop || head.position.seq !== headPosition(name)) {
    throw new RestoreError(
      `${name} at ${source.url} is not what this shop signed (${reason ?? 'it speaks of something else'}): find out ` +
        'who wrote it, and put the right one back or remove it',
    );
  }
  const { seq, hash } = head.position;
  return { position: seq, hash: Buffer.from(hash, 'hex') };
}

/** Throws `RestoreError` when the journal, which has come to `head`, is not the one that was signed. */
export function expectSigned(signed: LogHead | undefined, before: number, head: LogHead, url: string): void {
  if (signed === undefined || before >= signed.position || head.position < signed.position) return;
  if (head.position === signed.position && head.hash.equals(signed.hash)) return;
  throw new RestoreError(
    `the facts at ${url} are not those that the shop signed at fact ${signed.position}: somebody has written its ` +
      'history anew; restore another copy',
  );
}
