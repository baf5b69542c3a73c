/**
 * `key-ring` and `master-key` of a restored folder. The ring is the newest one of the backup, as it lies there.
 */
import { join } from 'node:path';
import { writeDurably } from '../persistence/disk/durable-file.ts';
import { keyFileOf, type MasterKey, parseMasterKey, writeKeyFile } from '../persistence/keys/master-key.ts';
import { KEY_RING_FILE } from '../persistence/keys/ring-file.ts';
import type { GivenKey, SourceKeys } from './source-keys.ts';

/** The master key, as its user gave it. */
export interface GivenMasterKey extends GivenKey {
  readonly masterKey: MasterKey;
  /** The value of PURSER_MASTER_KEY, when the key is from there; the folder then has no key file. */
  readonly fromEnvironment: string | undefined;
  /** 32 bytes in base64. */
  readonly text: string;
}

/** The master key of PURSER_MASTER_KEY, or of a file's content. Throws `KeyError`. */
export function givenMasterKey(
  text: string,
  origin: { readonly file: string } | 'PURSER_MASTER_KEY',
): GivenMasterKey {
  const name = origin === 'PURSER_MASTER_KEY' ? origin : origin.file;
  const masterKey = parseMasterKey(text, name);
  const fromEnvironment = origin === 'PURSER_MASTER_KEY' ? text : undefined;
  return { masterKey, origin: name, fromEnvironment, text: text.trim() };
}

export function writeKeys(folder: string, { ringText }: SourceKeys, given: GivenMasterKey): void {
  writeDurably(join(folder, KEY_RING_FILE), ringText);
  if (given.fromEnvironment === undefined) writeKeyFile(keyFileOf(folder), given.text);
}
