/**
 * The files of the store, as their one writer has them: adds one for each fold, and merges those of about one size, in
 * parts, so that they are few.
 *
 * Invariant: the list changes only by one rename, to a list whose files are durable. So whatever is interrupted, what
 * the list names is what counts, and all else is left over and removed at the next start. A file that is damaged is
 * merged no more, and those younger than it are merged among themselves; one that the system refuses is tried again.
 */
import { rmSync } from 'node:fs';
import { codeOf } from '../../shared/error-code.ts';
import { keepRoomForJournal } from '../disk/disk-room.ts';
import { DamagedFileError, RefusedFileError } from '../lmdb/damaged-file.ts';
import {
  type FileList,
  type ListedFile,
  readFileList,
  removeUnlisted,
  tablePath,
  writeFileList,
} from './file-list.ts';
import { mergeFiles } from './merge.ts';
import type { StoreTable } from './store-table.ts';
import { TableFile } from './table-file.ts';
import { TableWriter, type WrittenFile } from './table-writer.ts';

export interface StoreLimits {
  /** So many files of about one size become one. */
  readonly filesPerMerge: number;
  /** About so much is read in a part of a merge. */
  readonly stepBytes: number;
}

/** The rows of a file to be. */
export interface StoreRows {
  write(writer: TableWriter): void;
}

const LIMITS: StoreLimits = { filesPerMerge: 4, stepBytes: 4 * 1024 * 1024 };
/** More files than merges that keep up ever leave: each read may have to look into all of them. */
const MANY_FILES = 24;

export class StoreFiles {
  readonly #folder: string;
  readonly #tables: readonly StoreTable[];
  readonly #limits: StoreLimits;
  #list: FileList;
  #next: number;
  #merge: Iterator<undefined, void> | undefined;
  /** Numbers of files that are damaged. */
  readonly #damaged = new Set<number>();

  /**
   * `tables`: all that a file may have, by their numbers. Throws `DamagedFileError` for a damaged list, and what the file
   * system does.
   */
  constructor(folder: string, tables: readonly StoreTable[], limits: Partial<StoreLimits> = {}) {
    this.#folder = folder;
    this.#tables = tables;
    this.#limits = { ...LIMITS, ...limits };
    this.#list = readFileList(folder);
    this.#next = this.#list.next;
    removeUnlisted(folder, this.#list);
  }

  get list(): FileList {
    return this.#list;
  }

  /**
   * A file of all rows, which reflects the journal up to this place. Throws what the file system does; the rows are gone
   * then. Takes the journal's room, too: memory forgets only what is here, so without it nothing is sold for long.
   */
  add({ position, journalHash }: Pick<FileList, 'position' | 'journalHash'>, rows: StoreRows): void {
    const number = this.#number();
    const file = { number, ...this.#write(number, rows) };
    this.#replace({ position, journalHash, next: this.#next, files: [...this.#list.files, file] });
  }

  /** More files than merges should leave: the next part of a merge is wanted at once. */
  get areMany(): boolean {
    return this.#list.files.length > MANY_FILES;
  }

  /**
   * A part of a merge; false when none is due. Throws `ENOSPC` unless there is room for it beside the journal, what else the
   * file system does, `DamagedFileError` for a file that is merged no more, and `RefusedFileError` for one that may be read
   * another time. The merge is given up then, and nothing has changed.
   */
  mergePart(): boolean {
    this.#merge ??= this.#begin();
    if (this.#merge === undefined) return false;
    try {
      if (this.#merge.next().done === true) this.#merge = undefined;
    } catch (error) {
      this.#merge = undefined;
      throw error;
    }
    return true;
  }

  /** Gives up what is begun. The files on disk are whole at any time. */
  stop(): void {
    this.#merge?.return?.();
    this.#merge = undefined;
  }

  #begin(): Iterator<undefined, void> | undefined {
    const { files } = this.#list;
    const barrier = files.findLastIndex(({ number }) => this.#damaged.has(number));
    const due = dueOf(files.slice(barrier + 1), this.#limits.filesPerMerge);
    return due.length === 0 ? undefined : this.#merging(due);
  }

  *#merging(due: readonly ListedFile[]): Iterator<undefined, void> {
    const number = this.#number();
    const isOldest = due[0]?.number === this.#list.files[0]?.number;
    const files: TableFile[] = [];
    let writer: TableWriter | undefined;
    let written: WrittenFile | undefined;
    keepRoomForJournal(
      this.#folder,
      due.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    try {
      for (const listed of due) files.unshift(this.#open(listed));
      writer = new TableWriter(tablePath(this.#folder, number));
      yield* mergeFiles(files, writer, {
        tables: this.#tables,
        isOldest,
        stepBytes: this.#limits.stepBytes,
      });
      written = writer.finish();
      this.#replaceMerged(due, { number, ...written });
    } catch (error) {
      if (error instanceof DamagedFileError && !(error instanceof RefusedFileError))
        this.#noteDamage(due, error);
      throw error;
    } finally {
      for (const file of files) file.close();
      if (written === undefined) writer?.abandon();
    }
    for (const { number: merged } of due) rmSync(tablePath(this.#folder, merged), { force: true });
  }

  #open(listed: ListedFile): TableFile {
    const path = tablePath(this.#folder, listed.number);
    try {
      return new TableFile(path, listed);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // Nobody else removes it.
      throw new DamagedFileError(path, 'is missing', { cause: error });
    }
  }

  #noteDamage(due: readonly ListedFile[], { path }: DamagedFileError): void {
    for (const { number } of due) if (tablePath(this.#folder, number) === path) this.#damaged.add(number);
  }

  #replaceMerged(due: readonly ListedFile[], written: ListedFile): void {
    const merged = new Set(due.map(({ number }) => number));
    const files = this.#list.files.flatMap((file) => {
      if (file.number === due[0]?.number) return [written];
      return merged.has(file.number) ? [] : [file];
    });
    this.#replace({ ...this.#list, next: this.#next, files });
  }

  #write(number: number, rows: StoreRows): WrittenFile {
    const writer = new TableWriter(tablePath(this.#folder, number));
    let written: WrittenFile | undefined;
    try {
      rows.write(writer);
      written = writer.finish();
    } finally {
      if (written === undefined) writer.abandon();
    }
    return written;
  }

  #number(): number {
    const number = this.#next;
    this.#next += 1;
    return number;
  }

  #replace(list: FileList): void {
    writeFileList(this.#folder, list);
    this.#list = list;
  }
}

/**
 * Files that are due to become one, the oldest first: the youngest ones, when they are enough and the oldest of them is
 * not larger than half of the others together. So there are few, and a row is written again a few times at most.
 */
function dueOf(files: readonly ListedFile[], least: number): readonly ListedFile[] {
  let younger = 0;
  for (let first = files.length - 1; first >= 0; first -= 1) {
    const { bytes } = files[first] as ListedFile;
    if (files.length - first >= least && bytes <= younger / 2) return files.slice(first);
    younger += bytes;
  }
  return [];
}
