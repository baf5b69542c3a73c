/**
 * How every LMDB file of a node is opened: durable before visible, binary keys and values, one file each.
 *
 * `overlappingSync` would make a write visible before it is synced and leave it visible when the sync fails;
 * a writable map turns a full disk into SIGBUS. Keys are our own big-endian bytes, so that a file can be
 * checked without the library.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Database, RootDatabase, RootDatabaseOptionsWithPath } from 'lmdb';
import { syncFolderOf } from '../folder/durable-file.ts';
import { proveSpareDescriptors } from './spare-descriptors.ts';

/**
 * The library as CommonJS, in which it comes as four files: as ES modules it comes as twenty, and each of a node's
 * threads took twice as long to load it.
 */
const { open }: typeof import('lmdb') = createRequire(import.meta.url)('lmdb');

export type Table = Database<Buffer, Buffer>;

/** Address space, not disk: the file grows as it is written. */
const MAP_BYTES = 256 * 1024 ** 3;

export interface Environment {
  readonly file: string;
  readonly root: RootDatabase<Buffer, Buffer>;
  table(name: string): Table;
  close(): Promise<void>;
  /** Closes at once. Throws where writes were left to the library's own thread: these must end before. */
  closeNow(): void;
}

/**
 * Makes an empty file with these tables, unless it is there. It gets its name when it is whole, so that a file
 * of that name that is empty or has no tables is damage, never an interrupted beginning.
 */
export async function createEnvironment(file: string, tables: readonly string[]): Promise<void> {
  if (existsSync(file)) return;
  const unfinished = `${file}.creating`;
  rmSync(unfinished, { force: true });
  const environment = openEnvironment(unfinished);
  for (const name of tables) environment.table(name);
  await environment.close();
  rmSync(`${unfinished}-lock`, { force: true });
  renameSync(unfinished, file);
  syncFolderOf(file);
}

/** Opens a file that `createEnvironment` made. Throws what `isOutOfDescriptors` knows when too few are left. */
export function openEnvironment(file: string): Environment {
  proveSpareDescriptors();
  const options: RootDatabaseOptionsWithPath & { txnStartThreshold: number } = {
    path: file,
    noSubdir: true,
    overlappingSync: false,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: 16,
    mapSize: MAP_BYTES,
    eventTurnBatching: false,
    txnStartThreshold: 1,
  };
  const root = open<Buffer, Buffer>(options);
  return {
    file,
    root,
    table: (name) => root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' }),
    close: () => root.close(),
    closeNow: () => {
      void root.close();
      if ((root as { readonly status?: string }).status !== 'closed')
        throw new Error(`${file} has open writes`);
    },
  };
}

const NUMBER_BYTES = 8;

/** A number below 2^53 as eight bytes that sort like it. */
export function numberKey(value: number): Buffer {
  const key = Buffer.allocUnsafe(NUMBER_BYTES);
  writeNumberKey(key, value, 0);
  return key;
}

/** Several numbers below 2^53 one behind the other, so that keys sort by the first, then the next. */
export function numbersKey(...numbers: readonly number[]): Buffer {
  const key = Buffer.allocUnsafe(numbers.length * NUMBER_BYTES);
  for (let index = 0; index < numbers.length; index += 1) {
    writeNumberKey(key, numbers[index] ?? 0, index * NUMBER_BYTES);
  }
  return key;
}

export function writeNumberKey(key: Buffer, value: number, offset: number): void {
  key.writeUInt32BE(Math.floor(value / 2 ** 32), offset);
  key.writeUInt32BE(value >>> 0, offset + 4);
}

export function readNumberKey(key: Buffer, offset = 0): number {
  return key.readUInt32BE(offset) * 2 ** 32 + key.readUInt32BE(offset + 4);
}

/** Whether LMDB failed for want of room: the disk (28), a quota (122), or its own map (-30792). */
export function isOutOfSpace(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 28 || code === 122 || code === 'ENOSPC' || code === 'EDQUOT' || code === -30792;
}

/** Whether LMDB failed for want of file descriptors: the process's (24), or the system's (23). */
export function isOutOfDescriptors(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === 24 || code === 23 || code === 'EMFILE' || code === 'ENFILE';
}
