/**
 * `key-ring`: the folder's data keys and its fingerprint key, sealed with the master key. So the master key changes by
 * writing one small file anew, while everything that the data keys sealed stays as it is.
 *
 * A line with the format, a copy of the keys for each master key that opens them, and a checksum. There is one copy,
 * except while a key file is replaced, for that are two files: first the ring gets a copy for the new key, then the key
 * file gets the new key, then the ring loses the copy for the old one.
 *
 * What always holds: whatever the key file has after a crash opens a copy; and the next start removes the other one
 * (`complete`), after which the other key opens nothing. Each file is whole, old or new (`writeDurably`).
 *
 * Rejected: the ring inside of `stock.mdb`, where a transaction would do. A database keeps pages that it no longer
 * uses, and whoever has the old master key would find the ring in them.
 */
import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataKeys, KEY_BYTES, KEY_ID_BYTES, keyId } from './data-keys.ts';
import { folderTrouble } from './disk-trouble.ts';
import { syncFolderOf, writeDurably } from './durable-file.ts';
import {
  keyFileOf,
  loadMasterKey,
  type MasterKey,
  MasterKeyError,
  newMasterKey,
  parseMasterKey,
  readKeyFile,
  requireMasterKey,
  writeKeyFile,
} from './master-key.ts';
import { openWith, sealWith } from './row-cipher.ts';

export const KEY_RING_FILE = 'key-ring';
const FORMAT = 'purser key ring, version 1';
/** SHA-256 in hex, and a line feed. */
const CHECKSUM_CHARACTERS = 65;
const CONTEXT = Buffer.from('purser key ring');

/** The ring is missing or damaged. Its message is one line for the operator. */
export class KeyRingError extends Error {
  override readonly name = 'KeyRingError';
}

/** A change of the master key that makes no sense as it was asked for: nothing was changed. */
export class RekeyError extends Error {
  override readonly name = 'RekeyError';
}

interface Keys {
  readonly fingerprintKey: Buffer;
  /** The newest last. */
  readonly dataKeys: readonly Buffer[];
}

export interface KeyRingOptions {
  readonly folder: string;
  /** The value of PURSER_MASTER_KEY; undefined: the key is in the folder's key file. */
  readonly fromEnvironment: string | undefined;
  /** Whether the folder has all that a node begins with: then a missing ring is damage. */
  readonly isBegun: boolean;
}

export class KeyRing {
  readonly keys: DataKeys;
  /** The master key doesn't open the folder's ring: this one is new, and not on disk before `replace`. */
  readonly foreign: MasterKeyError | undefined;
  readonly #file: string;
  /** Undefined when the master key is from the environment. */
  readonly #keyFile: string | undefined;
  /** What the file on disk opens with: two where the last change of the key file failed in the middle. */
  #masterKeys: readonly MasterKey[];
  #ring: Keys;

  private constructor(
    { folder, fromEnvironment }: Pick<KeyRingOptions, 'folder' | 'fromEnvironment'>,
    masterKey: MasterKey,
    ring: Keys,
    foreign?: MasterKeyError,
  ) {
    this.#file = join(folder, KEY_RING_FILE);
    this.#keyFile = fromEnvironment === undefined ? keyFileOf(folder) : undefined;
    this.#masterKeys = [masterKey];
    this.#ring = ring;
    this.foreign = foreign;
    this.keys = DataKeys.create(ring.fingerprintKey, ring.dataKeys);
  }

  /**
   * For the node that has the folder: makes what a new folder lacks, and completes a change of the master key that was
   * interrupted. Throws `MasterKeyError` and `KeyRingError`.
   */
  static load({ folder, fromEnvironment, isBegun }: KeyRingOptions): KeyRing {
    if (isBegun) requireMasterKey(folder, fromEnvironment);
    const masterKey = loadMasterKey(folder, fromEnvironment);
    const found = readRing(join(folder, KEY_RING_FILE), masterKey);
    if (found === undefined && isBegun) throw missing(folder);
    if (found !== undefined && !(found instanceof MasterKeyError)) {
      const ring = new KeyRing({ folder, fromEnvironment }, masterKey, found.keys);
      if (found.copies > 1) ring.#write([masterKey], found.keys);
      return ring;
    }
    const ring = new KeyRing({ folder, fromEnvironment }, masterKey, newKeys(), isBegun ? found : undefined);
    if (!isBegun) ring.replace();
    return ring;
  }

  /** For who only looks: nothing is made, completed or replaced. Throws `MasterKeyError` and `KeyRingError`. */
  static read(folder: string, fromEnvironment: string | undefined): KeyRing {
    requireMasterKey(folder, fromEnvironment);
    const masterKey = loadMasterKey(folder, fromEnvironment);
    const found = readRing(join(folder, KEY_RING_FILE), masterKey);
    if (found === undefined) throw missing(folder);
    if (found instanceof MasterKeyError) throw found;
    return new KeyRing({ folder, fromEnvironment }, masterKey, found.keys);
  }

  /** Of the master key that opens the ring. */
  get masterKeyId(): string {
    return this.#masterKeys.at(-1)?.id ?? '';
  }

  /** The newest last. */
  get dataKeyIds(): readonly string[] {
    return this.#ring.dataKeys.map(keyId);
  }

  get keyFile(): string | undefined {
    return this.#keyFile;
  }

  /** Puts a `foreign` ring in the place of the one that nobody can open. The folder must have nothing that needs that. */
  replace(): void {
    this.#write(this.#masterKeys, this.#ring);
  }

  /** What `rekey` would refuse, as a `RekeyError`. */
  refusalOf(given: string | undefined): RekeyError | undefined {
    if (given === undefined) {
      if (this.#keyFile !== undefined) return undefined;
      return new RekeyError('this node has its master key from PURSER_MASTER_KEY, so name the new one');
    }
    try {
      const { id } = parseMasterKey(given, 'the new key');
      const isSame = this.#masterKeys.some((masterKey) => masterKey.id === id);
      return isSame ? new RekeyError('the new key is the master key already') : undefined;
    } catch (error) {
      return new RekeyError((error as Error).message);
    }
  }

  /**
   * Gives the ring another master key: `given`, in base64, or one that is made here, which the key file then has. When
   * it throws something else than a `RekeyError`, the disk failed: whichever key there is opens the folder.
   */
  rekey(given?: string): void {
    const refusal = this.refusalOf(given);
    if (refusal !== undefined) throw refusal;
    const made = newMasterKey();
    const text = given?.trim() ?? made.text;
    const next = given === undefined ? made.masterKey : parseMasterKey(text, 'the new key');
    if (this.#keyFile === undefined) return this.#write([next], this.#ring);
    this.#settle(this.#keyFile);
    this.#write([...this.#masterKeys, next], this.#ring);
    try {
      writeKeyFile(this.#keyFile, text);
    } finally {
      this.#settle(this.#keyFile);
    }
  }

  /** A new data key, which seals from now on. The older ones go on opening. */
  addDataKey(): void {
    if (this.keys.isFull)
      throw new RekeyError('this process has had too many data keys: start the node again');
    const key = randomBytes(KEY_BYTES);
    const { fingerprintKey, dataKeys } = this.#ring;
    this.#write(this.#masterKeys, { fingerprintKey, dataKeys: [...dataKeys, key] });
    this.keys.add(key);
  }

  /** Nothing on disk may be sealed with them any more. */
  dropOldDataKeys(): void {
    const { fingerprintKey, dataKeys } = this.#ring;
    this.#write(this.#masterKeys, { fingerprintKey, dataKeys: dataKeys.slice(-1) });
  }

  /** Leaves the ring one copy: for the key that the key file has, which is durable now. */
  #settle(keyFile: string): void {
    if (this.#masterKeys.length === 1) return;
    const inFile = readKeyFile(keyFile);
    syncFolderOf(keyFile);
    const kept = this.#masterKeys.find(({ id }) => id === inFile?.id);
    if (kept === undefined) throw new KeyRingError(`${keyFile} has been changed by somebody else`);
    this.#write([kept], this.#ring);
  }

  #write(masterKeys: readonly MasterKey[], ring: Keys): void {
    const payload = Buffer.from(
      JSON.stringify({
        fingerprintKey: ring.fingerprintKey.toString('base64'),
        dataKeys: ring.dataKeys.map((key) => key.toString('base64')),
      }),
    );
    const copies = masterKeys.map((masterKey) => sealWith(masterKey, payload, CONTEXT).toString('base64'));
    const text = `${[FORMAT, ...copies].join('\n')}\n`;
    writeDurably(this.#file, `${text}${hash('sha256', text)}\n`);
    this.#masterKeys = masterKeys;
    this.#ring = ring;
  }
}

function newKeys(): Keys {
  return { fingerprintKey: randomBytes(KEY_BYTES), dataKeys: [randomBytes(KEY_BYTES)] };
}

/** Undefined when there is no ring; `MasterKeyError`, not thrown, when the key opens no copy. Throws `KeyRingError`. */
function readRing(
  file: string,
  masterKey: MasterKey,
): { readonly keys: Keys; readonly copies: number } | MasterKeyError | undefined {
  const text = readText(file);
  if (text === undefined) return undefined;
  const [format, ...copies] = text.slice(0, -CHECKSUM_CHARACTERS).split('\n').slice(0, -1);
  const checksum = `${hash('sha256', text.slice(0, -CHECKSUM_CHARACTERS))}\n`;
  if (format !== FORMAT || copies.length === 0 || !text.endsWith(checksum)) throw damaged(file);
  const sealed = copies.map((copy) => Buffer.from(copy, 'base64'));
  const ids = sealed.map((copy) => copy.toString('hex', 0, KEY_ID_BYTES));
  const own = sealed[ids.indexOf(masterKey.id)];
  if (own === undefined) {
    return new MasterKeyError(
      `the master key is not the one that opens this data folder: ${file} is sealed with the key ` +
        `${ids.join(' or ')}, and this is ${masterKey.id}; after \`purser rekey\` only the new key opens it, ` +
        'and a backup from before only the old one',
    );
  }
  try {
    const payload = JSON.parse(openWith(masterKey.key, own, CONTEXT).toString()) as {
      readonly fingerprintKey: string;
      readonly dataKeys: readonly string[];
    };
    const fingerprintKey = Buffer.from(payload.fingerprintKey, 'base64');
    const dataKeys = payload.dataKeys.map((key) => Buffer.from(key, 'base64'));
    return { keys: { fingerprintKey, dataKeys }, copies: copies.length };
  } catch (error) {
    throw damaged(file, error);
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new KeyRingError(`${file} cannot be read: ${folderTrouble(error)}`, { cause: error });
  }
}

function missing(folder: string): KeyRingError {
  return new KeyRingError(`${folder} has no ${KEY_RING_FILE}, without which nothing opens: restore a backup`);
}

function damaged(file: string, cause?: unknown): KeyRingError {
  return new KeyRingError(`${file} is damaged: restore a backup`, { cause });
}
