/**
 * Heads of the journal that the shop signed, as they lie at a source: what they speak of was there once, and must be the
 * same. So neither objects that are missing at the end nor a history that was written anew go unseen, up to the newest.
 *
 * An object that the shop hasn't signed proves nothing: it is passed over, and named. Rejected: to refuse the restore
 * then. Whoever can write one bad object would keep the shop closed, and could as well remove the heads.
 */
import { epochText } from '../backup/chunk.ts';
import { HEADS, headName } from '../backup/target-layout.ts';
import type { LogHead } from '../persistence/journal/frame-log.ts';
import { verifyHead } from '../receipts/signed-head.ts';
import { PublicKeys, SigningKey } from '../receipts/signing-key.ts';
import type { BackupSource } from './backup-source.ts';
import { RestoreError } from './restore-error.ts';
import type { SourceKeys } from './source-keys.ts';

/** So many are looked at, the newest first, until one is what the shop signed. */
const MAX_TRIED = 4;

export class SignedHeads {
  readonly #source: BackupSource;
  readonly #keys: Pick<SourceKeys, 'ring' | 'shop'>;
  readonly #passedOver = new Set<string>();

  constructor(source: BackupSource, keys: Pick<SourceKeys, 'ring' | 'shop'>) {
    this.#source = source;
    this.#keys = keys;
  }

  /** Names of those that were looked at, and are not what the shop signed. */
  get passedOver(): readonly string[] {
    return [...this.#passedOver].sort();
  }

  /** The newest of an epoch that speaks of fact `upTo`, or one before. Rejects with `TargetError`. */
  async newest(epoch: number, upTo = Number.POSITIVE_INFINITY): Promise<LogHead | undefined> {
    const names: string[] = [];
    for await (const { name } of this.#source.list(`${HEADS}${epochText(epoch)}/`)) {
      if (!/\/\d{16,}\.jws$/.test(name) || headPosition(name) > upTo) continue;
      names.unshift(name);
      if (names.length > MAX_TRIED) names.pop();
    }
    for (const name of names) {
      // Stores err in answers, too: what is judged is the second one.
      const head = (await this.#read(name, epoch)) ?? (await this.#read(name, epoch));
      if (head !== undefined) return head;
      this.#passedOver.add(name);
    }
    return undefined;
  }

  async #read(name: string, epoch: number): Promise<LogHead | undefined> {
    const text = (await this.#source.read(name))?.toString();
    if (text === undefined) return undefined;
    const { ring, shop } = this.#keys;
    const verified = verifyHead(text, new PublicKeys([SigningKey.fromSeed(ring.signingSeed).jwk]));
    if ('reason' in verified) return undefined;
    const { head } = verified;
    const { seq, hash } = head.position;
    if (head.shop !== shop || headName(epoch, seq) !== name || head.epoch !== epoch) return undefined;
    return { position: seq, hash: Buffer.from(hash, 'hex') };
  }
}

function headPosition(name: string): number {
  return Number(/(\d+)\.jws$/.exec(name)?.[1]);
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
