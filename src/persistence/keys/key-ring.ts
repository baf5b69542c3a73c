/**
 * `key-ring`: the folder's keys (`ring-text.ts`), sealed with the master key. So the master key changes by writing one
 * small file anew, while everything that the data key sealed stays as it is.
 *
 * There is one copy of the keys, except while a key file is replaced, for that are two files: first the ring gets a
 * copy for the new key, then the key file gets the new key, then the ring loses the copy for the old one.
 *
 * Invariant: whatever the key file has after a crash opens a copy; and the next start removes the other one (`load`),
 * after which the other key opens nothing. Each file is whole, old or new (`writeDurably`). A ring is never written
 * over by one that was made anew: whoever starts with a wrong key is refused.
 *
 * Rejected: the ring inside of `stock.mdb`, where a transaction would do. A database keeps pages that it no longer
 * uses, and whoever has the old master key would find the ring in them.
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolderOf, writeDurably } from '../disk/durable-file.ts';
import { type DataKeys, KEY_BYTES } from './data-keys.ts';
import { KeyError } from './key-error.ts';
import {
  keyFileOf,
  loadMasterKey,
  type MasterKey,
  newMasterKey,
  parseMasterKey,
  readKeyFile,
  requireMasterKey,
  writeKeyFile,
} from './master-key.ts';
import {
  KEY_RING_FILE,
  missingRing,
  originOf,
  readRing,
  readRingText,
  requireKeyOfFile,
} from './ring-file.ts';
import { foreignRing, openSharedRing, RingSharing, type ShipRing } from './ring-sharing.ts';
import { dataKeysOf, type RingKeys, ringText, shopOf } from './ring-text.ts';

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
  /** The master keys that open the file on disk: two where the last change of the key file failed in the middle. */
  #masterKeys: readonly MasterKey[];
  readonly #ring: RingKeys;
  #onChange: () => void = () => {};
  /** Where other nodes have the same ring. */
  #sharing: RingSharing | undefined;
  /** The ring on disk is another node's, and none of the master keys opens it. */
  #isForeign = false;

  private constructor(
    { folder, fromEnvironment }: Pick<KeyRingOptions, 'folder' | 'fromEnvironment'>,
    masterKey: MasterKey,
    ring: RingKeys,
  ) {
    this.#file = join(folder, KEY_RING_FILE);
    this.#keyFile = fromEnvironment === undefined ? keyFileOf(folder) : undefined;
    this.#masterKeys = [masterKey];
    this.#ring = ring;
    this.keys = dataKeysOf(ring);
  }

  /**
   * For the node that has the folder: makes what a new folder lacks, also the ring of one that has no text, and completes
   * a change of the master key that was interrupted. Throws `KeyError`.
   */
  static load({ folder, fromEnvironment, isBegun, hasTexts }: KeyRingOptions): KeyRing {
    const file = join(folder, KEY_RING_FILE);
    if (isBegun || existsSync(file)) requireMasterKey(folder, fromEnvironment);
    const masterKey = loadMasterKey(folder, fromEnvironment);
    const found = readRing(file, masterKey, originOf(folder, fromEnvironment));
    if (found === undefined && isBegun && hasTexts()) throw missingRing(folder);
    const keys = found?.keys ?? newKeys();
    const ring = new KeyRing({ folder, fromEnvironment }, masterKey, keys);
    if (found !== undefined && found.copies > 1) {
      requireKeyOfFile(folder, fromEnvironment, masterKey.id);
      // Before the copy for the other key goes, the key file that was read must be there after a power cut, too.
      syncFolderOf(file);
    }
    if (found?.copies !== 1) ring.#write([masterKey]);
    return ring;
  }

  /** For who only looks: nothing is made or completed. Throws `KeyError`. */
  static read(folder: string, fromEnvironment: string | undefined): KeyRing {
    requireMasterKey(folder, fromEnvironment);
    const masterKey = loadMasterKey(folder, fromEnvironment);
    const found = readRing(join(folder, KEY_RING_FILE), masterKey, originOf(folder, fromEnvironment));
    if (found === undefined) throw missingRing(folder);
    return new KeyRing({ folder, fromEnvironment }, masterKey, found.keys);
  }

  /** The id of the master key that opens the ring; after a change that failed, the one that the key file has. */
  get masterKeyId(): string {
    const [masterKey] = this.#masterKeys;
    if (this.#masterKeys.length === 1 || this.#keyFile === undefined) return masterKey?.id ?? '';
    return readKeyFile(this.#keyFile)?.id ?? '';
  }

  /** The master key of `masterKeyId`, in base64: for a process that opens a backup as its operator would. */
  get masterKeyText(): string {
    const id = this.masterKeyId;
    const masterKey = this.#masterKeys.find((each) => each.id === id);
    return masterKey?.key.export().toString('base64') ?? '';
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

  /**
   * Other nodes get the ring by `ship`, as text, now and after each change, in order. A rejection of `ship` ends the
   * sharing: the process is about to end.
   */
  shareBy(ship: ShipRing): void {
    this.#sharing = new RingSharing(ship);
    const text = readRingText(this.#file);
    if (text !== undefined) this.#sharing.add(text);
  }

  /** Resolves when other nodes have every change so far; at once when there are none. */
  async whenShared(): Promise<void> {
    await this.#sharing?.whenShared;
  }

  /**
   * Takes over the ring that another node shared, and writes it. False when it is sealed with another master key: then a
   * start needs that key. Throws `KeyError` for one that is damaged or another shop's, and what the disk does.
   */
  adopt(text: string): boolean {
    const keys = openSharedRing(text, this.#masterKeys);
    if (keys !== undefined && shopOf(keys) !== this.shop) {
      throw new KeyError(
        'ring',
        `the log has the ${KEY_RING_FILE} of another shop: this folder belongs to another log`,
      );
    }
    writeDurably(this.#file, text);
    this.#isForeign = keys === undefined;
    if (keys === undefined) return false;
    this.#onChange();
    return true;
  }

  /** The ring as a backup has it: one copy, sealed with the master key that counts. */
  backupCopy(): string {
    const id = this.masterKeyId;
    return ringText(
      this.#masterKeys.filter((masterKey) => masterKey.id === id),
      this.#ring,
    );
  }

  /** The error that `rekey` would throw before it changes anything; undefined when there is none. */
  refusalOf(given: string | undefined): KeyError | undefined {
    if (this.#isForeign) return foreignRing();
    if (this.#sharing !== undefined && this.#keyFile !== undefined) {
      return new KeyError(
        'change',
        'nodes that share a log need the same PURSER_MASTER_KEY: set it at each, then change it',
      );
    }
    if (given === undefined) {
      if (this.#keyFile !== undefined) return undefined;
      return new KeyError(
        'change',
        'this node has its master key from PURSER_MASTER_KEY, so name the new one',
      );
    }
    try {
      const { id } = parseMasterKey(given, 'the new key');
      const isSame = this.#masterKeys.some((masterKey) => masterKey.id === id);
      return isSame ? new KeyError('change', 'the new key is the master key already') : undefined;
    } catch (error) {
      return new KeyError('change', (error as Error).message);
    }
  }

  /**
   * Gives the ring another master key: `given`, in base64, or one that is made here, which the key file then has. When
   * it throws something else than a `KeyError` (`change`), the disk failed: whichever key there is opens the folder.
   */
  rekey(given?: string): void {
    const refusal = this.refusalOf(given);
    if (refusal !== undefined) throw refusal;
    const made = newMasterKey();
    const text = given?.trim() ?? made.text;
    const next = given === undefined ? made.masterKey : parseMasterKey(text, 'the new key');
    if (this.#keyFile === undefined) return this.#write([next]);
    this.#settle(this.#keyFile);
    this.#write([...this.#masterKeys, next]);
    try {
      writeKeyFile(this.#keyFile, text);
    } finally {
      this.#settle(this.#keyFile);
    }
  }

  /** Leaves the ring one copy: for the key that the key file has, which is durable now. */
  #settle(keyFile: string): void {
    if (this.#masterKeys.length === 1) return;
    const inFile = readKeyFile(keyFile);
    syncFolderOf(keyFile);
    const kept = this.#masterKeys.find(({ id }) => id === inFile?.id);
    if (kept === undefined) throw new KeyError('ring', `${keyFile} has been changed by somebody else`);
    this.#write([kept]);
  }

  #write(masterKeys: readonly MasterKey[]): void {
    if (this.#isForeign) throw foreignRing();
    const text = ringText(masterKeys, this.#ring);
    writeDurably(this.#file, text);
    this.#masterKeys = masterKeys;
    this.#onChange();
    this.#sharing?.add(text);
  }
}

function newKeys(): RingKeys {
  const key = () => randomBytes(KEY_BYTES);
  return { fingerprintKey: key(), signingSeed: key(), dataKey: key() };
}
