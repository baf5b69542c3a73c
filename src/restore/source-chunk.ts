/** One chunk of a backup, fetched and proved: it opens with the shop's keys, and is what its name says. */
import { type ChunkHead, chunkHash, openChunk, parseChunkName } from '../backup/chunk.ts';
import type { StoredObject } from '../backup/target-layout.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import type { LogHead } from '../persistence/journal/frame-log.ts';
import { type BackupSource, REMEDY } from './backup-source.ts';
import { RestoreError } from './restore-error.ts';
import type { SourceKeys } from './source-keys.ts';

export interface SourceChunk {
  readonly name: string;
  readonly head: ChunkHead;
  /** Entries (`chunk-entries.ts`). */
  readonly body: Buffer;
  /** The hash by which the next chunk of the series names this one. */
  readonly hash: string;
}

/** A part of a backup: chunks in the order in which they are read, of one epoch. */
export interface ChunkPart {
  readonly epoch: number;
  readonly count: number;
  /** The size of the first `count` chunks. */
  bytesOf(count: number): number;
  /** Throws `RestoreError` unless the first `count` chunks are there, by their names and sizes. */
  expectThere(count: number): void;
  /** The chunk at `index`. Rejects with `RestoreError` and `TargetError`. */
  read(index: number): Promise<SourceChunk>;
  /** The first `count` chunks, in order. Rejects with `RestoreError` and `TargetError`. */
  readFirst(count: number): AsyncIterable<SourceChunk>;
}

/** A part of which facts up to `through` count; all, when that isn't there. */
export interface PartThrough {
  readonly part: ChunkPart;
  readonly through?: LogHead;
}

/**
 * The chunks of a source whose keys are open. A chunk that isn't as it should be is read once more before that counts:
 * stores err in answers, too.
 */
export class ChunkSource {
  readonly source: BackupSource;
  readonly #keys: Pick<SourceKeys, 'shop' | 'cipher'>;

  constructor(source: BackupSource, keys: Pick<SourceKeys, 'shop' | 'cipher'>) {
    this.source = source;
    this.#keys = keys;
  }

  /** Rejects with `RestoreError` when it isn't there, or isn't as the manifest has it. */
  async listed({ name, sha256 }: Pick<StoredObject, 'name' | 'sha256'>): Promise<SourceChunk> {
    let bytes = await this.source.require(name);
    if (chunkHash(bytes) !== sha256) bytes = await this.source.require(name);
    if (chunkHash(bytes) !== sha256) {
      throw new RestoreError(
        `${name} at ${this.source.url} is not what was written, by its SHA-256: ${REMEDY}`,
      );
    }
    return this.#open(name, bytes);
  }

  /** Undefined when it is damaged or gone, as an attempt to write one may be. Rejects with `RestoreError`. */
  async attempt(name: string): Promise<SourceChunk | undefined> {
    return (await this.#readOnce(name)) ?? this.#readOnce(name);
  }

  async #readOnce(name: string): Promise<SourceChunk | undefined> {
    const bytes = await this.source.read(name);
    if (bytes === undefined) return undefined;
    try {
      return this.#open(name, bytes);
    } catch (error) {
      if (error instanceof RestoreError && error.cause instanceof DamagedDataError) return undefined;
      throw error;
    }
  }

  #open(name: string, bytes: Buffer): SourceChunk {
    try {
      const opened = openChunk(bytes, this.#keys.cipher);
      this.#expectNamed(name, opened.head);
      return { name, ...opened, hash: chunkHash(bytes) };
    } catch (error) {
      if (!(error instanceof DamagedDataError)) throw error;
      throw new RestoreError(`${name} at ${this.source.url} is damaged (${error.message}): ${REMEDY}`, {
        cause: error,
      });
    }
  }

  #expectNamed(name: string, head: ChunkHead): void {
    if (head.shop !== this.#keys.shop) {
      throw new RestoreError(
        `${this.source.url} holds backups of more than one shop (${name} is another's): restore from a place of its own`,
      );
    }
    const named = parseChunkName(name);
    const isNamed =
      named?.epoch === head.epoch && named.series === head.series && named.number === head.number;
    if (!isNamed) throw new DamagedDataError('it is another chunk, under a wrong name');
  }
}

/** How many chunks are fetched ahead: they are some megabytes each. */
const READ_AHEAD = 4;

/** The results of `read` for each index below `count`, in order; some calls are under way at a time. */
export async function* readAhead<Result>(
  count: number,
  read: (index: number) => Promise<Result>,
): AsyncIterableIterator<Result> {
  const underWay: Promise<Result>[] = [];
  for (let next = 0; next < count || underWay.length > 0; ) {
    for (; next < count && underWay.length < READ_AHEAD; next += 1) {
      const promise = read(next);
      // Who leaves early waits for none of them.
      promise.catch(() => undefined);
      underWay.push(promise);
    }
    const first = underWay.shift();
    if (first !== undefined) yield await first;
  }
}
