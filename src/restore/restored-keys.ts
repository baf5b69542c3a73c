/**
 * `key-ring` and `master-key` of a restored folder.
 *
 * The ring is the newest one of the backup, as it lies there. But secrets of webhooks and suppliers stand in facts, and
 * those of an earlier moment may be sealed with a data key that has been retired since: then retired keys count again,
 * and the node seals everything anew when it has started, as after an interrupted change of keys.
 */
import { join } from 'node:path';
import type { State } from '../engine/state.ts';
import type { DataKeys } from '../persistence/disk/data-keys.ts';
import { writeDurably } from '../persistence/disk/durable-file.ts';
import { keyFileOf, type MasterKey, parseMasterKey, writeKeyFile } from '../persistence/disk/master-key.ts';
import { KEY_RING_FILE } from '../persistence/disk/ring-file.ts';
import { ringText } from '../persistence/disk/ring-text.ts';
import { SecretCipher } from '../persistence/disk/secret-cipher.ts';
import type { GivenKey, SourceKeys } from './source-keys.ts';

/** The master key, as its user gave it. */
export interface GivenMasterKey extends GivenKey {
  readonly masterKey: MasterKey;
  /** The value of PURSER_MASTER_KEY, when the key is from there; the folder then has no key file. */
  readonly fromEnvironment: string | undefined;
  /** 32 bytes in base64. */
  readonly text: string;
}

/** The master key of PURSER_MASTER_KEY, or of a file's content. Throws `MasterKeyError`. */
export function givenMasterKey(
  text: string,
  origin: { readonly file: string } | 'PURSER_MASTER_KEY',
): GivenMasterKey {
  const name = origin === 'PURSER_MASTER_KEY' ? origin : origin.file;
  const masterKey = parseMasterKey(text, name);
  const fromEnvironment = origin === 'PURSER_MASTER_KEY' ? text : undefined;
  return { masterKey, origin: name, fromEnvironment, text: text.trim() };
}

/** `state` is the folder's. */
export function writeKeys(folder: string, keys: SourceKeys, state: State, given: GivenMasterKey): void {
  const { ring } = keys;
  const text = needsRetiredKeys(keys, state)
    ? ringText([keys.masterKey], {
        ...ring,
        dataKeys: [...ring.retiredKeys, ...ring.dataKeys],
        retiredKeys: [],
      })
    : keys.ringText;
  writeDurably(join(folder, KEY_RING_FILE), text);
  if (given.fromEnvironment === undefined) writeKeyFile(keyFileOf(folder), given.text);
}

function needsRetiredKeys({ folderKeys, allKeys }: SourceKeys, state: State): boolean {
  const opened = (keys: DataKeys) => {
    const ofWebhooks = new SecretCipher(keys, 'webhook secret');
    const ofSuppliers = new SecretCipher(keys, 'supplier secret');
    let count = 0;
    for (const { accountId, webhook } of state.accounts.values()) {
      count += Number(webhook !== null && ofWebhooks.open(webhook.sealedSecret, accountId) !== undefined);
    }
    for (const { profile } of state.suppliers.values()) {
      count += Number(ofSuppliers.open(profile.sealedSecret) !== undefined);
    }
    return count;
  };
  return opened(folderKeys) < opened(allKeys);
}
