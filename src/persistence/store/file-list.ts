/**
 * The list of the store's files: which count, the oldest first, and the place in the journal that their rows reflect.
 * The list is replaced by one rename, so a fold or a merge has happened when the list names its file, and not before.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { codeOf } from '../../shared/error-code.ts';
import { syncFolderOf, writeDurably } from '../disk/durable-file.ts';
import { UNFINISHED_FOLDER } from '../disk/unfinished.ts';
import { DamagedFileError, RefusedFileError } from '../lmdb/damaged-file.ts';
import type { WrittenFile } from './table-writer.ts';

export const LIST_FILE = 'LIST';
const FORMAT = 1;
const FILE_NAME = /^\d{10}\.tbl$/;

export interface ListedFile extends WrittenFile {
  /** Never given twice. */
  readonly number: number;
}

export interface FileList {
  readonly position: number;
  /** Hexadecimal SHA-256 of the frame that ends at `position`. */
  readonly journalHash: string;
  /** The number of the next file. */
  readonly next: number;
  readonly files: readonly ListedFile[];
}

const EMPTY: FileList = { position: 0, journalHash: '', next: 1, files: [] };

export function tablePath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(10, '0')}.tbl`);
}

export function isTableFile(name: string): boolean {
  return FILE_NAME.test(name);
}

/** Makes a store without rows, unless there is one. */
export function createStore(folder: string): void {
  if (existsSync(join(folder, LIST_FILE))) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  syncFolderOf(folder);
  writeFileList(folder, EMPTY);
}

/** Throws `DamagedFileError`, also when there is none: each store was made with one. */
export function readFileList(folder: string): FileList {
  const file = join(folder, LIST_FILE);
  return parseFileList(file, textOf(file));
}

/** `file` names it in errors. Throws `DamagedFileError`. */
export function parseFileList(file: string, text: string): FileList {
  const [row = ''] = text.split('\n', 1);
  if (text !== sealed(row)) throw new DamagedFileError(file, 'is damaged: it has a wrong checksum');
  const { format, ...list } = JSON.parse(row) as FileList & { readonly format: number };
  if (format !== FORMAT) throw new DamagedFileError(file, `has format ${format}, and ${FORMAT} is known`);
  return list;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new DamagedFileError(file, 'is missing', { cause: error });
    throw new RefusedFileError(file, 'cannot be read', error);
  }
}

export function writeFileList(folder: string, list: FileList): void {
  writeDurably(join(folder, LIST_FILE), sealed(JSON.stringify({ format: FORMAT, ...list })));
}

/** Removes what an interrupted fold or merge left. */
export function removeUnlisted(folder: string, { files }: FileList): void {
  // A power cut must not bring back a list whose files are gone.
  syncFolderOf(join(folder, LIST_FILE));
  const listed = new Set(files.map(({ number }) => tablePath(folder, number)));
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (isTableFile(name) && !listed.has(path)) rmSync(path);
  }
  rmSync(join(folder, UNFINISHED_FOLDER), { recursive: true, force: true });
}

/** The whole text of the file. */
function sealed(row: string): string {
  return `${row}\n${crc32(row).toString(16)}\n`;
}
