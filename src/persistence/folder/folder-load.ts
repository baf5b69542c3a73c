/**
 * Makes the files of a data folder from a copy of its rows (`folder-snapshot.ts`), in a folder that has no name yet.
 * The new files must be proved before they are used: here rows are written as they came.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CHECKPOINT_FOLDER, checkpointIn, createCheckpoint } from '../checkpoint/checkpoint.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { writeDurably } from '../disk/durable-file.ts';
import { isPackedSegment } from '../journal/open-log.ts';
import { KEY_RING_FILE } from '../keys/ring-file.ts';
import {
  createEnvironment,
  type Environment,
  openEnvironment,
  type Table,
} from '../lmdb/lmdb-environment.ts';
import { isRunFile } from '../runs/run-list.ts';
import { isTableFile, LIST_FILE } from '../store/file-list.ts';
import { FORMAT_FILE, FORMAT_VERSION, isCurrentFormat } from './folder-format.ts';
import { tablesOf } from './folder-snapshot.ts';
import { decodePart, type StreamRecord } from './row-stream.ts';

/** Keys come in their order. */
const APPEND = { append: true };

/** Gets the records of a copy in their order; `finish` closes what is open. */
export class FolderLoad {
  readonly #folder: string;
  #file: { readonly environment: Environment; readonly tables: readonly string[] } | undefined;
  #table: Table | undefined;
  #run: { readonly name: string; readonly descriptor: number } | undefined;
  #keyRing: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    createCheckpoint(folder);
  }

  /** Rejects with `DamagedDataError`, and what the disk throws. */
  async part(bytes: Buffer): Promise<void> {
    let rows: Extract<StreamRecord, { kind: 'row' }>[] = [];
    for (const record of decodePart(bytes)) {
      if (record.kind === 'row') {
        rows.push(record);
        continue;
      }
      this.#write(rows);
      rows = [];
      if (record.kind === 'piece') this.#piece(record.name, record.bytes);
      else if (record.kind === 'text') this.#text(record.name, Buffer.from(record.bytes).toString());
      else if (record.kind === 'file') await this.#begin(record.name);
      else this.#openTable(record.name);
    }
    this.#write(rows);
  }

  /** The text of the copy's key ring. Rejects with `DamagedDataError`. */
  async finish(): Promise<string> {
    await this.close();
    if (this.#keyRing === undefined) throw new DamagedDataError('the copy has no key ring');
    return this.#keyRing;
  }

  async close(): Promise<void> {
    this.#endRun();
    this.#table = undefined;
    await this.#file?.environment.close();
    this.#file = undefined;
  }

  /** The next bytes of a file of the checkpoint, of a run file, or of a packed segment. */
  #piece(name: string, bytes: Uint8Array): void {
    if (!isCopied(name)) throw new DamagedDataError(`the copy has an unknown file, ${JSON.stringify(name)}`);
    if (this.#run?.name !== name) {
      this.#endRun();
      this.#run = { name, descriptor: openSync(join(this.#folder, name), 'wx', 0o600) };
    }
    const { descriptor } = this.#run;
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
  }

  #endRun(): void {
    if (this.#run === undefined) return;
    fsyncSync(this.#run.descriptor);
    closeSync(this.#run.descriptor);
    this.#run = undefined;
  }

  #text(name: string, text: string): void {
    if (name === KEY_RING_FILE) this.#keyRing = text;
    if (name === `${CHECKPOINT_FOLDER}/${LIST_FILE}`)
      return writeDurably(join(checkpointIn(this.#folder), LIST_FILE), text);
    if (name !== FORMAT_FILE) return;
    if (isCurrentFormat(text)) return;
    throw new DamagedDataError(
      `the copy is of a folder of ${JSON.stringify(text.trim())}, and this version of Purser reads version ${FORMAT_VERSION}`,
    );
  }

  async #begin(name: string): Promise<void> {
    await this.close();
    const tables = tablesOf(name);
    if (tables === undefined)
      throw new DamagedDataError(`the copy has an unknown file, ${JSON.stringify(name)}`);
    await createEnvironment(join(this.#folder, name), tables);
    this.#file = { environment: openEnvironment(join(this.#folder, name)), tables };
  }

  #openTable(name: string): void {
    const file = this.#file;
    if (file?.tables.includes(name) !== true)
      throw new DamagedDataError(`the copy has an unknown table, ${JSON.stringify(name)}`);
    this.#table = file.environment.table(name);
  }

  #write(rows: readonly { readonly key: Buffer; readonly value: Buffer }[]): void {
    if (rows.length === 0) return;
    const table = this.#table;
    if (table === undefined) throw new DamagedDataError('the copy has rows of no table');
    this.#file?.environment.transactionSync(() => {
      for (const { key, value } of rows) void table.put(key, value, APPEND);
    });
  }
}

/** Whether a file of a copy is one that never changes. */
function isCopied(name: string): boolean {
  const file = basename(name);
  if (file === name) return isRunFile(name) || isPackedSegment(name);
  return name === `${CHECKPOINT_FOLDER}/${file}` && isTableFile(file);
}
