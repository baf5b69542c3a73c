/** `key-ring` as a file: reading it, and what errors say of it. `key-ring.ts` writes it. */
import { readFileSync } from 'node:fs';
import { codeOf } from '../../shared/error-code.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { KeyError } from './key-error.ts';
import { keyFileOf, type MasterKey, readKeyFile } from './master-key.ts';
import { openRingText, type RingKeys } from './ring-text.ts';

export const KEY_RING_FILE = 'key-ring';

/**
 * A change that was interrupted has left copies for two keys, and the key file has one of them: another one from the
 * environment would make the file's useless. Throws `KeyError`.
 */
export function requireKeyOfFile(folder: string, fromEnvironment: string | undefined, id: string): void {
  const inFile = fromEnvironment === undefined ? undefined : readKeyFile(keyFileOf(folder));
  if (inFile === undefined || inFile.id === id) return;
  throw new KeyError(
    'key',
    `the change of the master key was interrupted, and ${keyFileOf(folder)} has the key that counts, ${inFile.id}: start without PURSER_MASTER_KEY, which is ${id}`,
  );
}

export function originOf(folder: string, fromEnvironment: string | undefined): string {
  return fromEnvironment === undefined ? keyFileOf(folder) : 'PURSER_MASTER_KEY';
}

/** Undefined when there is no ring. Throws what `openRingText` does. */
export function readRing(
  file: string,
  masterKey: MasterKey,
  keyOrigin: string,
): { readonly keys: RingKeys; readonly copies: number } | undefined {
  const text = readRingText(file);
  return text === undefined ? undefined : openRingText(text, { name: file, masterKey, keyOrigin });
}

export function readRingText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new KeyError('ring', `${file} cannot be read: ${folderTrouble(error)}`, { cause: error });
  }
}

export function missingRing(folder: string): KeyError {
  return new KeyError(
    'ring',
    `${folder} has no ${KEY_RING_FILE}, without which nothing opens: restore a backup`,
  );
}
