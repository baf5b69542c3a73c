/**
 * `key-ring`: the folder's keys (`ring-text.ts`), sealed with the master key. So the master key changes by
 * writing one small file anew, while everything that the data keys sealed stays as it is.
 *
 * There is one copy of the keys, except while a key file is replaced, for that are two files: first the ring gets a
 * copy for the new key, then the key file gets the new key, then the ring loses the copy for the old one.
 *
 * What always holds: whatever the key file has after a crash opens a copy; and the next start removes the other one
 * (`load`), after which the other key opens nothing. Each file is whole, old or new (`writeDurably`). A ring is never
 * written over by one that was made anew: whoever starts with a wrong key is refused.
 *
 * Rejected: the ring inside of `stock.mdb`, where a transaction would do. A database keeps pages that it no longer
 * uses, and whoever has the old master key would find the ring in them.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataKeys, KEY_BYTES, keyId } from './data-keys.ts';
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
import { allDataKeys, KeyRingError, openRingText, type RingKeys, ringText, shopOf } from './ring-text.ts';

export const KEY_RING_FILE = 'key-ring';
/** A change of the master key that makes no sense as it was asked for: nothing was changed. */
export class RekeyError extends Error {
  override readonly name = 'RekeyError';
}

export interface KeyRingOptions {
  readonly folder: string;
  /** The value of PURSER_MASTER_KEY; undefined: the key is in the folder's key file. */
  readonly fromEnvironment: string | undefined;
  /** Whether the folder has all that a node begins with. */
  readonly isBegun: boolean;
  /** Asked when a folder that was begun has no ring: with texts that is damage. */
  readonly hasTexts: () => boolean;
}

export class KeyRing {
  readonly keys: DataKeys;
  readonly #file: string;
  /** Undefined when the master key is from the environment. */
  readonly #keyFile: string | undefined;
  /** What the file on disk opens with: two where the last change of the key file failed in the middle. */
  #masterKeys: readonly MasterKey[];
  #ring: RingKeys;
  #onChange: () => void = () => {};

  private constructor(
    { folder, fromEnvironment }: Pick<KeyRingOptions, 'folder' | 'fromEnvironment'>,
    masterKey: MasterKey,
    ring: RingKeys,
  ) {
    this.#file = join(folder, KEY_RING_FILE);
    this.#keyFile = fromEnvironment === undefined ? keyFileOf(folder) : undefined;
    this.#masterKeys = [masterKey];
    this.#ring = ring;
    this.keys = DataKeys.create(ring.fingerprintKey, ring.dataKeys);
  }

  /**
   * For the node that has the folder: makes what a new folder lacks, also the ring of one that has no text, and completes
   * a change of the master key that was interrupted. Throws `MasterKeyError` and `KeyRingError`.
   */
  static load({ folder, fromEnvironment, isBegun, hasTexts }: KeyRingOptions): KeyRing {
    const file = join(folder, KEY_RING_FILE);
    if (isBegun || existsSync(file)) requireMasterKey(folder, fromEnvironment);
    const masterKey = loadMasterKey(folder, fromEnvironment);
    const found = readRing(file, masterKey, originOf(folder, fromEnvironment));
    if (found === undefined && isBegun && hasTexts()) throw missing(folder);
    const keys = found?.keys ?? newKeys();
    const ring = new KeyRing({ folder, fromEnvironment }, masterKey, keys);
    if (found !== undefined && found.copies > 1) {
      requireKeyOfFile(folder, fromEnvironment, masterKey.id);
      // Before the copy for the other key goes, the key file that was read must be there after a power cut, too.
      syncFolderOf(file);
    }
    if (found?.copies !== 1) ring.#write([masterKey], keys);
    return ring;
  }

  /** For who only looks: nothing is made or completed. Throws `MasterKeyError` and `KeyRingError`. */
  static read(folder: string, fromEnvironment: string | undefined): KeyRing {
    requireMasterKey(folder, fromEnvironment);
    const masterKey = loadMasterKey(folder, fromEnvironment);
    const found = readRing(join(folder, KEY_RING_FILE), masterKey, originOf(folder, fromEnvironment));
    if (found === undefined) throw missing(folder);
    return new KeyRing({ folder, fromEnvironment }, masterKey, found.keys);
  }

  /** Of the master key that opens the ring; after a change that failed, the one that the key file has. */
  get masterKeyId(): string {
    const [masterKey] = this.#masterKeys;
    if (this.#masterKeys.length === 1 || this.#keyFile === undefined) return masterKey?.id ?? '';
    return readKeyFile(this.#keyFile)?.id ?? '';
  }

  /** The newest last. */
  get dataKeyIds(): readonly string[] {
    return this.#ring.dataKeys.map(keyId);
  }

  get keyFile(): string | undefined {
    return this.#keyFile;
  }

  get shop(): string {
    return shopOf(this.#ring);
  }

  get signingSeed(): Buffer {
    return this.#ring.signingSeed;
  }

  /** `onChange` is called whenever the ring on disk is another. */
  watch(onChange: () => void): void {
    this.#onChange = onChange;
  }

  /** Those of now, and those that were dropped before: a backup has chunks that these sealed. */
  get allKeys(): DataKeys {
    return allDataKeys(this.#ring);
  }

  /** The ring as a backup has it: one copy, sealed with the master key that counts. */
  backupCopy(): string {
    const id = this.masterKeyId;
    return ringText(
      this.#masterKeys.filter((masterKey) => masterKey.id === id),
      this.#ring,
    );
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
    this.#write(this.#masterKeys, { ...this.#ring, dataKeys: [...this.#ring.dataKeys, key] });
    this.keys.add(key);
  }

  /** Nothing in the folder may be sealed with them any more. Backups are: so they are kept. */
  retireOldDataKeys(): void {
    const { dataKeys, retiredKeys } = this.#ring;
    this.#write(this.#masterKeys, {
      ...this.#ring,
      dataKeys: dataKeys.slice(-1),
      retiredKeys: [...retiredKeys, ...dataKeys.slice(0, -1)],
    });
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

  #write(masterKeys: readonly MasterKey[], ring: RingKeys): void {
    writeDurably(this.#file, ringText(masterKeys, ring));
    this.#masterKeys = masterKeys;
    this.#ring = ring;
    this.#onChange();
  }
}

function newKeys(): RingKeys {
  const key = () => randomBytes(KEY_BYTES);
  return { fingerprintKey: key(), signingSeed: key(), dataKeys: [key()], retiredKeys: [] };
}

/**
 * A change that was interrupted has left copies for two keys, and the key file has one of them: another one from the
 * environment would make the file's useless. Throws `MasterKeyError`.
 */
function requireKeyOfFile(folder: string, fromEnvironment: string | undefined, id: string): void {
  const inFile = fromEnvironment === undefined ? undefined : readKeyFile(keyFileOf(folder));
  if (inFile === undefined || inFile.id === id) return;
  throw new MasterKeyError(
    `the change of the master key was interrupted, and ${keyFileOf(folder)} has the key that counts, ${inFile.id}: start without PURSER_MASTER_KEY, which is ${id}`,
  );
}

function originOf(folder: string, fromEnvironment: string | undefined): string {
  return fromEnvironment === undefined ? keyFileOf(folder) : 'PURSER_MASTER_KEY';
}

/** Undefined when there is no ring. Throws what `openRingText` does. */
function readRing(
  file: string,
  masterKey: MasterKey,
  keyOrigin: string,
): { readonly keys: RingKeys; readonly copies: number } | undefined {
  const text = readText(file);
  return text === undefined ? undefined : openRingText(text, { name: file, masterKey, keyOrigin });
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
