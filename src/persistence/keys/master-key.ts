/**
 * The key that opens the data folder: 32 bytes, from the environment or from a file of the data folder that is made on
 * the first start. The master key seals the key ring (`key-ring.ts`), whose data key seals everything else.
 *
 * Invariant: a key file is either absent or complete, because it is renamed into place after it was synced; and only
 * its owner can read it. The key is kept as a `KeyObject`, which no log and no error message prints. A file that others
 * can read is refused rather than mended: whoever could read it may have done so.
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../shared/error-code.ts';
import { folderTrouble } from '../disk/disk-trouble.ts';
import { writeDurably } from '../disk/durable-file.ts';
import { KEY_BYTES, keyId, type SealingKey } from './data-keys.ts';
import { KeyError } from './key-error.ts';

const FILE_NAME = 'master-key';
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;
const BASE64_LENGTH = 44;
const OPEN_TO_OTHERS = 0o077;

export type MasterKey = SealingKey;

export function keyFileOf(folder: string): string {
  return join(folder, FILE_NAME);
}

/** Throws `KeyError` when a folder that was begun has lost its key: a new one would open nothing. */
export function requireMasterKey(folder: string, fromEnvironment: string | undefined): void {
  if (fromEnvironment !== undefined || existsSync(keyFileOf(folder))) return;
  throw new KeyError('key', `${folder} has no master-key: put it back, or set PURSER_MASTER_KEY`);
}

/**
 * The key in `fromEnvironment` (the value of PURSER_MASTER_KEY) when that is set, else the one in
 * `<folder>/master-key`, which is made when it isn't there. Throws `KeyError`.
 */
export function loadMasterKey(folder: string, fromEnvironment: string | undefined): MasterKey {
  if (fromEnvironment !== undefined) return parseMasterKey(fromEnvironment, 'PURSER_MASTER_KEY');
  const file = keyFileOf(folder);
  return readKeyFile(file) ?? createKeyFile(file);
}

/** A new one, for a key file. */
export function newMasterKey(): { readonly masterKey: MasterKey; readonly text: string } {
  const bytes = randomBytes(KEY_BYTES);
  return { masterKey: masterKeyOf(bytes), text: bytes.toString('base64') };
}

/** Puts a key in the place of the one in the folder's key file. When it throws, either of them may be there. */
export function writeKeyFile(file: string, text: string): void {
  writeDurably(file, `${text}\n`);
}

/** Throws `KeyError` when there are not 32 of them. */
export function masterKeyOf(bytes: Uint8Array): MasterKey {
  if (bytes.length !== KEY_BYTES) throw new KeyError('key', `a master key has ${KEY_BYTES} bytes`);
  return { key: createSecretKey(bytes), id: keyId(bytes) };
}

/** Throws `KeyError`, which says where the text is from, and doesn't tell it. */
export function parseMasterKey(text: string, origin: string): MasterKey {
  const base64 = text.trim();
  if (!BASE64_OF_32_BYTES.test(base64)) {
    throw new KeyError(
      'key',
      `${origin} must be ${KEY_BYTES} bytes in base64 (44 characters, as by \`openssl rand -base64 32\`), ` +
        `but ${whatIsWrong(base64)}`,
    );
  }
  return masterKeyOf(Buffer.from(base64, 'base64'));
}

function whatIsWrong(text: string): string {
  if (text.length === 0) return 'is empty';
  if (text.length !== BASE64_LENGTH) return `has ${text.length} characters`;
  if (/[-_]/.test(text)) return 'has - or _, which are of base64url: write + for - and / for _';
  return 'is something else: that is 43 of A to Z, a to z, 0 to 9, + and /, and then =';
}

/** Undefined when there is none. Throws `KeyError`. */
export function readKeyFile(file: string): MasterKey | undefined {
  let text: string;
  try {
    const descriptor = openSync(file, 'r');
    try {
      const status = fstatSync(descriptor);
      if (!status.isFile())
        throw new KeyError('key', `${file} is not a file: put the master key's file there`);
      refuseOpenToOthers(file, status.mode);
      text = readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof KeyError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new KeyError('key', `${file} cannot be read: ${folderTrouble(error)}`, { cause: error });
  }
  return parseMasterKey(text, file);
}

function refuseOpenToOthers(file: string, mode: number): void {
  // Windows has no such bits and reports them as set.
  if (process.platform === 'win32' || (mode & OPEN_TO_OTHERS) === 0) return;
  throw new KeyError(
    'key',
    `${file} holds the master key and is open to other users (mode ${(mode & 0o777).toString(8)}): ` +
      `run \`chmod 600 ${file}\``,
  );
}

function createKeyFile(file: string): MasterKey {
  const { masterKey, text } = newMasterKey();
  try {
    writeKeyFile(file, text);
  } catch (error) {
    throw new KeyError('key', `cannot create a master key: ${folderTrouble(error)}`, { cause: error });
  }
  return masterKey;
}
