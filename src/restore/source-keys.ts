/**
 * The key ring of a backup, opened with the master key that was given: before anything else is read or made, because
 * without it nothing of a backup opens.
 */
import type { KeyObject } from 'node:crypto';
import { recordKeyOf } from '../backup/record.ts';
import type { DataKeys } from '../persistence/keys/data-keys.ts';
import { KeyError } from '../persistence/keys/key-error.ts';
import type { MasterKey } from '../persistence/keys/master-key.ts';
import { dataKeysOf, openRingText, type RingKeys, shopOf } from '../persistence/keys/ring-text.ts';
import { RowCipher } from '../persistence/keys/row-cipher.ts';
import type { BackupSource } from './backup-source.ts';
import { RestoreError } from './restore-error.ts';

/** The master key, and where it is from, as errors name it. */
export interface GivenKey {
  readonly masterKey: MasterKey;
  readonly origin: string;
}

export interface SourceKeys {
  readonly ring: RingKeys;
  /** The ring's text as it lies at the source. */
  readonly ringText: string;
  /** The id of the shop whose backup it is. */
  readonly shop: string;
  /** Opens all chunks. */
  readonly cipher: RowCipher;
  /** Proves runs and manifests. */
  readonly recordKey: KeyObject;
  /** The keys of `cipher`, and of the folder. */
  readonly dataKeys: DataKeys;
}

/**
 * The keys of a source. `names` are those of key rings, the newest first: that one opens all that the others do, and
 * must be whole. Rejects with `RestoreError` and `TargetError`.
 */
export async function openKeys(
  source: BackupSource,
  [name = '', ...others]: readonly string[],
  given: GivenKey,
): Promise<SourceKeys> {
  try {
    return await openRing(source, name, given);
  } catch (error) {
    if (!(error instanceof KeyError && error.kind === 'ring')) throw error;
    const instead = others.length === 0 ? '' : `, or remove it, and ${others[0]} counts`;
    throw new RestoreError(
      `the key ring ${name} at ${source.url} is damaged: put it back from another copy${instead}`,
      { cause: error },
    );
  }
}

async function openRing(source: BackupSource, name: string, given: GivenKey): Promise<SourceKeys> {
  const { masterKey, origin } = given;
  const read = async () => {
    const text = (await source.require(name)).toString();
    return { text, ...openRingText(text, { name, masterKey, keyOrigin: origin }) };
  };
  try {
    // Stores err in answers, too: what is judged is the second one.
    const { text, keys: ring } = await read().catch(read);
    const dataKeys = dataKeysOf(ring);
    return {
      ring,
      ringText: text,
      shop: shopOf(ring),
      cipher: new RowCipher(dataKeys),
      recordKey: recordKeyOf(ring.fingerprintKey),
      dataKeys,
    };
  } catch (error) {
    if (!(error instanceof KeyError && error.kind === 'other-key')) throw error;
    throw new RestoreError(
      `${source.url} needs the master key with the id ${error.neededIds.join(' or ')}, and the one from ` +
        `${origin} has ${masterKey.id}: give the key that the shop had when it wrote this backup`,
    );
  }
}
