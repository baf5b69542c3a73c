/**
 * All rows of a data folder as they are at one moment, to be sent to another machine: also of a folder whose node runs.
 *
 * Invariant: the copy is one sound folder. The files are held one after the other within milliseconds, in an order in
 * which none names what a later one lacks: the checkpoint and the webhooks name places of the journal, and the journal
 * names texts. The keys were the same before and after. So no writer has to wait, and nobody has to find a moment at
 * which nothing is written. Product files, and what belongs to one machine alone, are not part of it.
 *
 * Files of the checkpoint and run files never change, and are copied as they are: those that the lists name, and packed
 * segments of the journal.
 *
 * Rejected: copies of the databases. They have the pages that were free, and the disk would need room for them twice.
 */
import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { basename, join } from 'node:path';
import { codeOf } from '../../shared/error-code.ts';
import type { WriteGate } from '../../threads/write-gate.ts';
import { CHECKPOINT_FOLDER, checkpointIn } from '../checkpoint/checkpoint.ts';
import { GENESIS, type LogHead } from '../journal/frame-log.ts';
import { extentOf, frameHash } from '../journal/journal-frame.ts';
import { LOG_TABLES, logExtents, PackedSegment, packedFile, type SegmentFile } from '../journal/open-log.ts';
import { KEY_RING_FILE } from '../keys/ring-file.ts';
import { openEnvironment } from '../lmdb/lmdb-environment.ts';
import { LmdbSnapshot } from '../lmdb/lmdb-snapshot.ts';
import { decodeRunList, RUN_LIST_KEY, runFileName } from '../runs/run-list.ts';
import { STOCK_RUNS, STOCK_TABLES } from '../stock/file/stock-file.ts';
import { LIST_FILE, parseFileList, tablePath } from '../store/file-list.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../webhooks/outbox-file.ts';
import { STOCK_FILE } from './data-folder.ts';
import { checkSegment } from './folder-check.ts';
import { FORMAT_FILE, readFormatText } from './folder-format.ts';
import { encodeParts, type StreamRecord } from './row-stream.ts';

const PIECE_BYTES = 256 * 1024;
/** How often keys, and run files, may change while the files are held. */
const ATTEMPTS = 5;

/** The tables of a file; undefined when a folder has no such file. */
export function tablesOf(name: string): readonly string[] | undefined {
  if (name === OUTBOX_FILE) return OUTBOX_TABLES;
  if (name === STOCK_FILE) return STOCK_TABLES;
  return /^journal-\d{16}\.mdb$/.test(name) ? LOG_TABLES : undefined;
}

export class FolderSnapshot {
  readonly #folder: string;
  readonly #gate: Pick<WriteGate, 'pass'>;
  readonly #held: ReadonlyMap<string, LmdbSnapshot>;
  /** Files that never change, by name: open, because others may take their places meanwhile. */
  readonly #files = new Map<string, number>();
  /** The checkpoint's list. */
  readonly #list: Buffer;
  readonly #keyRing: Buffer;
  #head: LogHead = GENESIS;
  /** The segment that is held. */
  #newest: SegmentFile | undefined;

  private constructor(
    folder: string,
    gate: Pick<WriteGate, 'pass'>,
    held: ReadonlyMap<string, LmdbSnapshot>,
    list: Buffer,
    keyRing: Buffer,
  ) {
    this.#folder = folder;
    this.#gate = gate;
    this.#held = held;
    this.#list = list;
    this.#keyRing = keyRing;
  }

  /**
   * Takes a snapshot of a folder whose newest files were proved, as a start does; older segments are proved when they
   * are read. The thread has opened none of them (`lmdb-renewal.ts`). Rejects with what the disk throws.
   */
  static async take(folder: string, gate: Pick<WriteGate, 'pass'>): Promise<FolderSnapshot> {
    for (let attempt = 1; ; attempt += 1) {
      const keyRing = readFileSync(join(folder, KEY_RING_FILE));
      const held = new Map<string, LmdbSnapshot>();
      const list = readFileSync(join(checkpointIn(folder), LIST_FILE));
      const snapshot = new FolderSnapshot(folder, gate, held, list, keyRing);
      try {
        let isWhole = snapshot.#openCheckpoint();
        held.set(OUTBOX_FILE, snapshot.#hold(OUTBOX_FILE));
        // Older segments don't change any more; which is the newest is asked when all before is held.
        const newest = logExtents(folder).at(-1);
        snapshot.#newest = newest;
        if (newest !== undefined) held.set(basename(newest.file), snapshot.#hold(basename(newest.file)));
        held.set(STOCK_FILE, snapshot.#hold(STOCK_FILE));
        isWhole &&= snapshot.#openRuns();
        if (isWhole && keyRing.equals(readFileSync(join(folder, KEY_RING_FILE)))) return snapshot;
        if (attempt === ATTEMPTS) throw new Error('files and keys change all the time: try again later');
      } catch (error) {
        await snapshot.close();
        throw error;
      }
      await snapshot.close();
    }
  }

  /** The copy, in parts for `loadFolder`. Throws when a file was opened anew meanwhile. */
  parts(): IterableIterator<Buffer> {
    return encodeParts(this.#records());
  }

  /** Where the copy's journal ends; known when all parts have been read. */
  get head(): LogHead {
    return this.#head;
  }

  async close(): Promise<void> {
    for (const snapshot of this.#held.values()) await snapshot.close();
    for (const descriptor of this.#files.values()) closeSync(descriptor);
    this.#files.clear();
  }

  /** False when one of them is gone: another one took its place after its list was held. */
  #openRuns(): boolean {
    const row = this.#held.get(STOCK_FILE)?.get('meta', RUN_LIST_KEY);
    return decodeRunList(row).runs.every(({ number }) => {
      const run = runFileName(STOCK_RUNS, number);
      return this.#open(run, join(this.#folder, run));
    });
  }

  #openCheckpoint(): boolean {
    const store = checkpointIn(this.#folder);
    return parseFileList(join(store, LIST_FILE), String(this.#list)).files.every(({ number }) => {
      const file = tablePath(store, number);
      return this.#open(`${CHECKPOINT_FOLDER}/${basename(file)}`, file);
    });
  }

  #open(name: string, file: string): boolean {
    try {
      this.#files.set(name, openSync(file, 'r'));
      return true;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  *#pieces(name: string, descriptor: number): IterableIterator<StreamRecord> {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    for (let offset = 0; ; ) {
      const count = readSync(descriptor, piece, 0, piece.length, offset);
      if (count === 0) return;
      yield { kind: 'piece', name, bytes: piece.subarray(0, count) };
      offset += count;
    }
  }

  *#records(): IterableIterator<StreamRecord> {
    yield { kind: 'text', name: FORMAT_FILE, bytes: Buffer.from(readFormatText(this.#folder)) };
    yield { kind: 'text', name: KEY_RING_FILE, bytes: this.#keyRing };
    yield* this.#oldSegments();
    for (const [name, snapshot] of this.#held) yield* this.#recordsOf(name, snapshot);
    for (const [name, descriptor] of this.#files) yield* this.#pieces(name, descriptor);
    yield { kind: 'text', name: `${CHECKPOINT_FOLDER}/${LIST_FILE}`, bytes: this.#list };
  }

  /** Any of them may be packed while another one is copied, or while it is proved. */
  *#oldSegments(): IterableIterator<StreamRecord> {
    for (const segment of logExtents(this.#folder)) {
      if (segment.firstSequence >= (this.#newest?.firstSequence ?? 0)) return;
      const unpacked = this.#holdUnpacked(segment);
      if (unpacked === undefined) yield* this.#packedSegment(segment);
      else yield* this.#recordsOf(basename(segment.file), unpacked);
      void unpacked?.close();
    }
  }

  /** Undefined when it is packed by now. */
  #holdUnpacked({ file, firstSequence }: SegmentFile): LmdbSnapshot | undefined {
    const packed = packedFile(this.#folder, firstSequence);
    if (existsSync(packed)) return undefined;
    checkSegment(file);
    const snapshot = this.#hold(basename(file));
    // If the file went a moment ago, the library has made an empty one.
    if (!existsSync(packed)) return snapshot;
    void snapshot.close();
    return undefined;
  }

  *#packedSegment({ firstSequence }: SegmentFile): IterableIterator<StreamRecord> {
    checkSegment(packedFile(this.#folder, firstSequence));
    const segment = new PackedSegment(this.#folder, firstSequence);
    const descriptor = openSync(segment.file, 'r');
    try {
      this.#head = segment.head() ?? this.#head;
      yield* this.#pieces(basename(segment.file), descriptor);
    } finally {
      closeSync(descriptor);
      void segment.close();
    }
  }

  #hold(name: string): LmdbSnapshot {
    const open = () => new LmdbSnapshot(openEnvironment(join(this.#folder, name)), tablesOf(name) ?? []);
    return this.#gate.pass(open);
  }

  *#recordsOf(name: string, snapshot: LmdbSnapshot): IterableIterator<StreamRecord> {
    const isLog = tablesOf(name) === LOG_TABLES;
    let last: Buffer | undefined;
    yield { kind: 'file', name };
    for (const table of snapshot.tables()) {
      yield { kind: 'table', name: table.name };
      for (const { key, value } of table.rows) {
        if (isLog) last = Buffer.from(value);
        yield { kind: 'row', key, value };
      }
    }
    if (last !== undefined) this.#head = { position: extentOf(last).last, hash: frameHash(last) };
  }
}
