/**
 * An archive at a target, a folder or a bucket: chunks are put there, each under a free name and read back, and the
 * journal's beginning is read from there.
 *
 * What always holds: nothing is written over. Of a name that is taken, what lies there counts when it is proved to hold the
 * same facts; so an archive that was broken off goes on, and one that something has damaged is refused. It is looked for
 * before it is written, since some stores ignore the condition of a write and would replace it. Two nodes that write
 * different facts to one name of such a store in the same second are not told from each other: each has a place of its own.
 */
import type { ChunkBody } from '../backup/chunk-entries.ts';
import type { Retrying } from '../backup/retrying.ts';
import { type BackupTarget, TargetError } from '../backup/target/backup-target.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import type { RowCipher } from '../persistence/disk/row-cipher.ts';
import type { LogHead } from '../persistence/journal/frame-log.ts';
import { GENESIS } from '../persistence/journal/frame-log.ts';
import { extentOf, frameHash, readHead } from '../persistence/journal/journal-frame.ts';
import {
  ARCHIVE,
  type ArchiveChunk,
  archiveName,
  encodeArchiveChunk,
  type NamedFacts,
  openArchiveChunk,
  parseArchiveName,
} from './archive-chunk.ts';

const READS = 2;

/** The message is one line that says what is wrong and what to do. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

export interface ArchiveStoreOptions {
  readonly target: BackupTarget;
  /** Of all data keys that the folder ever had (`KeyRing.allKeys`); the newest seals. */
  readonly cipher: RowCipher;
  readonly shop: string;
  readonly retrying: Retrying;
}

export class ArchiveStore {
  readonly #options: ArchiveStoreOptions;

  constructor(options: ArchiveStoreOptions) {
    this.#options = options;
  }

  /** As operators name it, without secrets. */
  get url(): string {
    return this.#options.target.url;
  }

  get shop(): string {
    return this.#options.shop;
  }

  /** Resolves with the chunk's length when it is there, read back and proved. Rejects with `ArchiveError` and `TargetError`. */
  async put(chunk: ArchiveChunk, body: ChunkBody): Promise<number> {
    const { target, cipher, retrying } = this.#options;
    const bytes = encodeArchiveChunk(chunk, body.view(), cipher);
    const name = archiveName(chunk);
    const named = parseArchiveName(name);
    if (named === undefined) throw new Error(`${name} is no name of an archive's chunk`);
    await retrying.until(async (signal) => {
      if ((await target.read(name, { signal })) === undefined) await target.create(name, bytes, { signal });
    });
    let trouble: unknown;
    for (let read = 0; read < READS; read += 1) {
      const found = await this.#read(name);
      if (found === undefined)
        throw new TargetError('invalid', `${this.url} says that ${name} is stored, and doesn't have it`);
      try {
        this.#expectSame(chunk, this.#opened(named, found).chunk, name);
        return found.length;
      } catch (error) {
        if (!(error instanceof DamagedDataError)) throw error;
        trouble = error;
      }
    }
    throw new ArchiveError(
      `${name} at ${this.url} is not what was sent (${(trouble as Error).message}): nothing was removed; move it away`,
    );
  }

  /**
   * The journal's frames from the first one on, up to the one with fact `through`, or as far as the archive has them. Of
   * chunks that overlap, as a restored folder leaves them, those count that continue the chain.
   */
  async *frames(through: number): AsyncIterableIterator<Buffer> {
    const chunks = await this.#list();
    for (let head: LogHead = GENESIS; head.position < through; ) {
      const next = await this.#continuing(chunks, head);
      if (next === undefined) return;
      for (const frame of next) {
        yield frame;
        head = { position: extentOf(frame).last, hash: frameHash(frame) };
        if (head.position >= through) return;
      }
    }
  }

  /** Of the first chunk that has the fact behind `head`, and this history, the frames from there on. */
  async #continuing(chunks: readonly NamedFacts[], head: LogHead): Promise<Buffer[] | undefined> {
    let trouble: Error | undefined;
    const next = head.position + 1;
    for (const named of chunks) {
      if (named.first > next || named.last < next) continue;
      const bytes = await this.#read(named.name);
      if (bytes === undefined) continue;
      try {
        const frames = this.#opened(named, bytes).frames.filter((frame) => extentOf(frame).last >= next);
        const [first] = frames;
        if (first === undefined) continue;
        const { firstSequence, previousHash } = readHead(first);
        if (firstSequence === next && previousHash.equals(head.hash)) return frames;
      } catch (error) {
        if (!(error instanceof DamagedDataError)) throw error;
        trouble ??= new ArchiveError(
          `${named.name} at ${this.url} is damaged (${error.message}): put a copy of it back; backups have its facts, too`,
        );
      }
    }
    if (trouble !== undefined) throw trouble;
    return undefined;
  }

  /** Whether some chunk ends with this fact, by its name. */
  async endsAt(position: number): Promise<boolean> {
    return (await this.#list()).some(({ last }) => last === position);
  }

  /** The newest epoch's first, and of one epoch those that reach farthest. */
  async #list(): Promise<NamedFacts[]> {
    const { target, retrying } = this.#options;
    const found = await retrying.until(async (signal) => {
      const names: NamedFacts[] = [];
      for await (const { name } of target.list(ARCHIVE, { signal })) {
        const named = parseArchiveName(name);
        if (named !== undefined) names.push(named);
      }
      return names;
    });
    return found.sort((a, b) => b.epoch - a.epoch || b.last - a.last);
  }

  #read(name: string): Promise<Buffer | undefined> {
    const { target, retrying } = this.#options;
    return retrying.until((signal) => target.read(name, { signal }));
  }

  #opened(named: NamedFacts, bytes: Buffer) {
    const { cipher, shop } = this.#options;
    const opened = openArchiveChunk(named, bytes, cipher);
    if (opened.chunk.shop === shop) return opened;
    throw new ArchiveError(
      `${this.url} has the archive of another shop (${named.name}): give this one a place of its own`,
    );
  }

  #expectSame(wanted: ArchiveChunk, found: ArchiveChunk, name: string): void {
    const isSame = found.to.hash.equals(wanted.to.hash) && found.from.hash.equals(wanted.from.hash);
    if (isSame) return;
    throw new ArchiveError(
      `${name} at ${this.url} holds other facts than this folder has: another node has archived there`,
    );
  }
}
