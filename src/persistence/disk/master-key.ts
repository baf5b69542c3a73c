/**
 * The key that everything secret on disk is sealed with: 32 bytes, from the environment or from a file of the
 * data folder that is made on the first start. Keys for other purposes are derived from it, so that a machine that has
 * it needs nothing else to read a folder.
 *
 * What always holds: a key file is either absent or complete, because it is renamed into place after it was
 * synced; and only its owner can read it. It is kept as a `KeyObject`, which no log and no error message
 * prints. A file that others can read is refused rather than mended: whoever could read it may have done so.
 */
import { createSecretKey, hash, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderTrouble } from './disk-trouble.ts';
import { writeDurably } from './durable-file.ts';

const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
const FILE_NAME = 'master-key';
const BASE64_OF_32_BYTES = /^[A-Za-z0-9+/]{43}=$/;
const OPEN_TO_OTHERS = 0o077;

/** Plain data, so that it can be handed to a worker thread. */
export interface MasterKey {
  readonly key: KeyObject;
  /** The first four bytes of the key's SHA-256, in hex: tells keys apart without telling the key. */
  readonly id: string;
}

/** Its message is one line for the operator. It never holds the key or a part of it. */
export class MasterKeyError extends Error {
  override readonly name = 'MasterKeyError';
}

/** Throws `MasterKeyError` when a folder that was begun has lost its key: a new one would open nothing. */
export function requireMasterKey(folder: string, fromEnvironment: string | undefined): void {
  if (fromEnvironment !== undefined || existsSync(join(folder, FILE_NAME))) return;
  throw new MasterKeyError(`${folder} has no master-key: put it back, or set PURSER_MASTER_KEY`);
}

/**
 * The key in `fromEnvironment` (the value of PURSER_MASTER_KEY) when that is set, else the one in
 * `<folder>/master-key`, which is made when it isn't there. Throws `MasterKeyError`.
 */
export function loadMasterKey(folder: string, fromEnvironment: string | undefined): MasterKey {
  if (fromEnvironment !== undefined) return parse(fromEnvironment, 'PURSER_MASTER_KEY');
  const file = join(folder, FILE_NAME);
  return readKeyFile(file) ?? createKeyFile(file);
}

/** Throws `MasterKeyError` when there are not 32 of them. */
export function masterKeyOf(bytes: Uint8Array): MasterKey {
  if (bytes.length !== KEY_BYTES) throw new MasterKeyError(`a master key has ${KEY_BYTES} bytes`);
  const id = hash('sha256', bytes, 'buffer').toString('hex', 0, KEY_ID_BYTES);
  return { key: createSecretKey(bytes), id };
}

/**
 * A key of 32 bytes for one purpose, which tells neither the master key nor the key for another purpose: HKDF with
 * SHA-256 (RFC 5869), without a salt. Never change a purpose: what was made with its key would no longer be found.
 */
export function deriveKey(masterKey: MasterKey, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey.key, '', purpose, KEY_BYTES));
}

function parse(text: string, origin: string): MasterKey {
  const base64 = text.trim();
  if (!BASE64_OF_32_BYTES.test(base64)) {
    throw new MasterKeyError(
      `${origin} must be ${KEY_BYTES} bytes in base64 (44 characters, as by \`openssl rand -base64 32\`), ` +
        (base64.length === 0 ? 'but is empty' : `but has ${base64.length} characters of another form`),
    );
  }
  return masterKeyOf(Buffer.from(base64, 'base64'));
}

function readKeyFile(file: string): MasterKey | undefined {
  let text: string;
  try {
    const descriptor = openSync(file, 'r');
    try {
      const status = fstatSync(descriptor);
      if (!status.isFile())
        throw new MasterKeyError(`${file} is not a file: put the master key's file there`);
      refuseOpenToOthers(file, status.mode);
      text = readFileSync(descriptor, 'utf8');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof MasterKeyError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new MasterKeyError(`${file} cannot be read: ${folderTrouble(error)}`, { cause: error });
  }
  return parse(text, file);
}

function refuseOpenToOthers(file: string, mode: number): void {
  // Windows has no such bits and reports them as set.
  if (process.platform === 'win32' || (mode & OPEN_TO_OTHERS) === 0) return;
  throw new MasterKeyError(
    `${file} holds the master key and is open to other users (mode ${(mode & 0o777).toString(8)}): ` +
      `run \`chmod 600 ${file}\``,
  );
}

function createKeyFile(file: string): MasterKey {
  const bytes = randomBytes(KEY_BYTES);
  try {
    writeDurably(file, `${bytes.toString('base64')}\n`);
  } catch (error) {
    throw new MasterKeyError(`cannot create a master key: ${folderTrouble(error)}`, { cause: error });
  }
  return masterKeyOf(bytes);
}
