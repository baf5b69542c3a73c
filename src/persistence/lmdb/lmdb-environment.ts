/**
 * How every LMDB file of a node is opened: durable before visible, binary keys and values, one file each.
 *
 * `overlappingSync` would make a write visible before it is synced and leave it visible when the sync fails;
 * a writable map turns a full disk into SIGBUS. Keys are our own big-endian bytes, so that a file can be
 * checked without the library. When the last write of a commit fails, the library has done with the file for good, in
 * all threads: `lmdb-renewal.ts` opens it anew, behind the tables that callers have.
 */
import { EventEmitter } from 'node:events';
import { accessSync, constants, existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type { RootDatabase, RootDatabaseOptionsWithPath, Transaction } from 'lmdb';
import { innerCodeOf } from '../../shared/error-code.ts';
import { requireRoom } from '../disk/disk-room.ts';
import { syncFolderOf } from '../disk/durable-file.ts';
import { unfinishedOf } from '../disk/unfinished.ts';
import { Renewal } from './lmdb-renewal.ts';
import { LmdbTable, NO_KEY, type Table } from './lmdb-table.ts';
import { lockFileOf, makeLockFile, writeLockFile } from './lock-file.ts';
import { proveSpareDescriptors } from './spare-descriptors.ts';

export type { LmdbTable, Table };

/**
 * The library as CommonJS, in which it comes as four files: as ES modules it comes as twenty, and each of a node's
 * threads took twice as long to load it.
 */
const { open }: typeof import('lmdb') = createRequire(import.meta.url)('lmdb');

/** Address space, not disk: the file grows as it is written. */
const MAP_BYTES = 256 * 1024 ** 3;
const MAX_DATABASES = 32;
/** Room that must be free for a new file: several times what it takes. */
const NEW_FILE_BYTES = 512 * 1024;

/** A file, opened. Its tables are the library's databases. */
export class Environment {
  readonly file: string;
  /** Whether nothing can be written to it. A node refuses such a file before; `purser verify` reads it. */
  readonly isReadOnly: boolean;
  readonly #renewal: Renewal;
  readonly #tables: LmdbTable[] = [];
  readonly #held: Transaction[] = [];
  readonly #onClose: (() => void)[] = [];
  #root: RootDatabase<Buffer, Buffer> | undefined;
  #isClosed = false;
  #isWriting = false;

  /** Use `openEnvironment`. */
  constructor(file: string, { leavesWrites, isReadOnly }: Required<EnvironmentOptions>) {
    this.file = file;
    this.isReadOnly = isReadOnly || !isWritable(file) || !isWritable(lockFileOf(file));
    this.#renewal = new Renewal({
      file,
      // Writes under way must end first; who leaves them to the library renews the file itself when one has failed.
      onLetGo: () => {
        if (!leavesWrites) this.#letGoNow();
      },
      letGo: () => this.#letGo(),
      letGoNow: () => this.#letGoNow(),
      proves: () => this.#proves(),
    });
    try {
      this.#renewal.keep(() => this.#opened());
    } catch (error) {
      this.#renewal.close();
      throw error;
    }
  }

  table(name: string): LmdbTable {
    const open = () => {
      const root = this.#opened();
      // When it fails, the root is still there, and is closed with all its tables.
      return openStore(
        () => root.openDB<Buffer, Buffer>({ name, ...BINARY }),
        () => {},
      );
    };
    const table = new LmdbTable(open, this.#renewal);
    this.#tables.push(table);
    return table;
  }

  /** Runs `work`, which writes, as one transaction. */
  transactionSync<Result>(work: () => Result): Result {
    this.resetReadTxn();
    this.#renewal.keep(() => this.#touch());
    this.#isWriting = true;
    try {
      return this.#opened().transactionSync(work);
    } finally {
      this.#isWriting = false;
    }
  }

  /** Makes what others have written visible to the next read. A file that was let go of has no snapshot to give up. */
  resetReadTxn(): void {
    this.#root?.resetReadTxn();
  }

  /** Keeps what the file has now readable until it is closed, or opened anew: `lmdb-snapshot.ts`. */
  hold(): Transaction {
    this.resetReadTxn();
    this.#held.push(this.#opened().useReadTransaction());
    return this.#held.at(-1) as Transaction;
  }

  /** After a failed commit: resolves when the file can be used again, mostly at once. */
  renew(): Promise<void> {
    return this.#renewal.renew();
  }

  /** `close` is called when the file is closed: for handles that are open for as long as it is. */
  onClose(close: () => void): void {
    this.#onClose.push(close);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#renewal.close();
    for (const held of this.#held.splice(0)) held.done();
    for (const close of this.#onClose.splice(0)) close();
    await this.#root?.close();
  }

  #opened(): RootDatabase<Buffer, Buffer> {
    if (this.#root !== undefined) return this.#root;
    if (this.#isClosed) throw new Error(`${this.file} is closed`);
    this.#root = openRoot(this.file, this.isReadOnly);
    return this.#root;
  }

  async #letGo(): Promise<void> {
    await this.#takeRoot()?.close();
  }

  #letGoNow(): void {
    const root = this.#takeRoot();
    void root?.close();
    const status = (root as { readonly status?: string } | undefined)?.status;
    if (root !== undefined && status !== 'closed') throw new Error(`${this.file} has open writes`);
  }

  #takeRoot(): RootDatabase<Buffer, Buffer> | undefined {
    const root = this.#root;
    this.#root = undefined;
    for (const held of this.#held.splice(0)) held.done();
    for (const table of this.#tables) table.letGo();
    return root;
  }

  /** Nothing gives the file up in the middle of a transaction. */
  #proves(): boolean {
    if (this.#isWriting) return true;
    try {
      this.resetReadTxn();
      this.#touch();
      return true;
    } catch {
      return false;
    }
  }

  #touch(): void {
    this.#opened().doesExist(NO_KEY);
  }
}

/**
 * Makes an empty file with these tables, unless it is there. The file gets its name when it is whole, so that a file of
 * that name that is empty or has no tables is damage, never an interrupted beginning.
 */
export async function createEnvironment(file: string, tables: readonly string[]): Promise<void> {
  if (existsSync(file)) return;
  // The library can end the process by a signal when a new file's first pages don't fit on the disk.
  requireRoom(dirname(file), NEW_FILE_BYTES);
  const unfinished = unfinishedOf(file);
  try {
    await makeEnvironment(unfinished, tables);
    // Whoever finds the file needs no room to open it.
    renameSync(lockFileOf(unfinished), lockFileOf(file));
    renameSync(unfinished, file);
  } catch (error) {
    for (const each of [unfinished, lockFileOf(unfinished)]) rmSync(each, { force: true });
    throw error;
  }
  syncFolderOf(file);
}

async function makeEnvironment(file: string, tables: readonly string[]): Promise<void> {
  writeLockFile(lockFileOf(file));
  const environment = openEnvironment(file);
  try {
    for (const name of tables) environment.table(name);
  } finally {
    await environment.close();
  }
}

export interface EnvironmentOptions {
  /** Whether writes are left to the library's own thread, outside of transactions; default: no. */
  readonly leavesWrites?: boolean;
  /** Whether nothing will be written; default: no, where this process may write to the file. */
  readonly isReadOnly?: boolean;
}

/** Opens a file that `createEnvironment` made. Throws what `isOutOfDescriptors` knows when too few are left. */
export function openEnvironment(
  file: string,
  { leavesWrites = false, isReadOnly = false }: EnvironmentOptions = {},
): Environment {
  return new Environment(file, { leavesWrites, isReadOnly });
}

const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;

/** A read-only file needs no lock file: its opener sees to it that nobody writes meanwhile. */
function openRoot(file: string, readOnly: boolean): RootDatabase<Buffer, Buffer> {
  proveSpareDescriptors();
  if (!readOnly) makeLockFile(file);
  const options: RootDatabaseOptionsWithPath & { txnStartThreshold: number } = {
    path: file,
    noSubdir: true,
    readOnly,
    overlappingSync: false,
    ...BINARY,
    maxDbs: MAX_DATABASES,
    mapSize: MAP_BYTES,
    eventTurnBatching: false,
    txnStartThreshold: 1,
  };
  return openStore(() => open<Buffer, Buffer>(options), closeRoot);
}

/** Whether the file may be written to, or isn't there. */
function isWritable(file: string): boolean {
  try {
    if (existsSync(file)) accessSync(file, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A store of the library's while its constructor runs. */
type UnfinishedStore = EventEmitter & {
  isRoot: boolean;
  useReadTransaction(): { done(): void };
  close(): void;
};

/**
 * Runs `open`, the library's. To open a file or a table is a transaction, which waits for the commit that is under way
 * and fails with it. The library doesn't look whether it has begun, and prints a line without an end when it hasn't; so
 * a read transaction is begun first, which throws. `onFailure` gets the store that nobody else has: the library leaves
 * its handle to the garbage collector, and as long as there is a handle, a file that was given up stays so.
 */
function openStore<Store>(open: () => Store, onFailure: (store: UnfinishedStore) => void): Store {
  let unfinished: UnfinishedStore | undefined;
  const { prototype } = EventEmitter;
  const { emit } = prototype;
  prototype.emit = function (this: UnfinishedStore, event, ...args) {
    if (unfinished === undefined && event === 'begin-transaction') {
      unfinished = this;
      unfinished.useReadTransaction().done();
    }
    return emit.call(this, event, ...args);
  };
  try {
    return open();
  } catch (error) {
    if (unfinished !== undefined) onFailure(unfinished);
    throw error;
  } finally {
    prototype.emit = emit;
  }
}

function closeRoot(store: UnfinishedStore): void {
  store.isRoot = true;
  store.close();
}

/** Whether LMDB failed for want of file descriptors: the process's, or the system's. */
export function isOutOfDescriptors(error: unknown): boolean {
  const code = innerCodeOf(error);
  return code === 'EMFILE' || code === 'ENFILE';
}
