/**
 * Writes the chunks of one series, one behind the other, each only when the one before is there.
 *
 * Invariant: a chunk counts when it was read back. One that the target has stored wrongly stays where it is, and the
 * same bytes go under the next name; so whichever of them opens is the chunk. One that opens and isn't what was sent is
 * either our own, of a process that was killed before it heard of it, and then all its facts are in our journal: it
 * counts, and the series goes on behind it. Or another node's: then this one is fenced.
 */

import type { KeyObject } from 'node:crypto';
import { DamagedDataError } from '../../persistence/codec/byte-reader.ts';
import type { LogHead } from '../../persistence/journal/frame-log.ts';
import type { RowCipher } from '../../persistence/keys/row-cipher.ts';
import { anotherShop, otherFacts } from '../backup-error.ts';
import { type ChunkHead, chunkName, openChunk, readChunkHead, type Series } from '../chunk.ts';
import { prove, storedObject } from '../proved-object.ts';
import type { Retrying } from '../retrying.ts';
import type { BackupTarget } from '../target/backup-target.ts';
import type { StoredObject } from '../target-layout.ts';

/** The last chunk that is there. */
export interface SeriesEnd {
  /** 0 while there is none. */
  readonly number: number;
  /** SHA-256 (hex), an empty text while there is none. */
  readonly hash: string;
}

export const NO_CHUNK: SeriesEnd = { number: 0, hash: '' };

/** Properties that all chunks of this node share, and the means to judge one. */
export interface Shipper {
  readonly target: BackupTarget;
  readonly shop: string;
  readonly epoch: number;
  /** Opens whatever was ever sealed for a backup of this folder. */
  readonly cipher: Pick<RowCipher, 'open'>;
  /** Proves runs and manifests (`record.ts`). */
  readonly recordKey: KeyObject;
  /** Hears of runs and manifests that are not what the shop wrote. */
  readonly onAltered: (name: string) => void;
  readonly retrying: Retrying;
  /** Whether our journal has a frame that ends there. */
  readonly hasInJournal: (head: LogHead) => boolean;
  /** `encodeChunk` with a key that a key ring at the target has. */
  readonly seal: (head: ChunkHead, body: Uint8Array) => Promise<Buffer>;
}

export interface ChunkContent {
  readonly from: LogHead;
  readonly to: LogHead;
  readonly lastAtMs: number;
  /** `ChunkBody.view`. */
  readonly body: Uint8Array;
}

export interface WrittenChunk {
  readonly head: ChunkHead;
  readonly object: StoredObject;
  /**
   * Whether the chunk is the one that was to be written; else the series goes on behind its `to`, which is elsewhere.
   */
  readonly isOurs: boolean;
}

export class SeriesWriter {
  readonly #shipper: Shipper;
  readonly #series: Series;
  #end: SeriesEnd;

  constructor(shipper: Shipper, series: Series, end: SeriesEnd) {
    this.#shipper = shipper;
    this.#series = series;
    this.#end = end;
  }

  get end(): SeriesEnd {
    return this.#end;
  }

  /** Rejects with `fenced`, or when the retrying ends. */
  async write({ from, to, lastAtMs, body }: ChunkContent): Promise<WrittenChunk> {
    const { shop, epoch, seal } = this.#shipper;
    const head: ChunkHead = {
      shop,
      epoch,
      series: this.#series,
      number: this.#end.number + 1,
      previous: this.#end.hash,
      from,
      to,
      lastAtMs,
    };
    const bytes = await seal(head, body);
    const written = await this.#place(head, bytes);
    this.#end = { number: head.number, hash: written.object.sha256 };
    return written;
  }

  async #place(head: ChunkHead, bytes: Buffer): Promise<WrittenChunk> {
    const { target, retrying } = this.#shipper;
    for (let attempt = 1; ; attempt += 1) {
      const name = chunkName(head, attempt);
      const found = await retrying.until((signal) => prove(target, name, bytes, signal));
      if (found === undefined) return { head, object: storedObject(name, bytes), isOurs: true };
      const other = this.#judge(head, name, found);
      if (other !== undefined) return { head: other, object: storedObject(name, found), isOurs: false };
      await retrying.restAfterWrong(name, attempt);
    }
  }

  /** Undefined when it is damaged, or behind another chunk than ours: then it counts for nothing. */
  #judge(wanted: ChunkHead, name: string, found: Buffer): ChunkHead | undefined {
    const head = openedHead(this.#shipper, name, found);
    if (head === undefined) return undefined;
    if (!this.#shipper.hasInJournal(head.to)) throw otherFacts(this.#shipper.target, name);
    return head.previous === wanted.previous ? head : undefined;
  }
}

/**
 * The head of a chunk that lies under `name`; undefined when it isn't what the name says, or doesn't open. Throws
 * `fenced` when it is another shop's.
 */
export function openedHead(
  { target, shop, cipher }: Pick<Shipper, 'target' | 'shop' | 'cipher'>,
  name: string,
  bytes: Buffer,
): ChunkHead | undefined {
  try {
    const open = readChunkHead(bytes);
    if (!name.startsWith(chunkName(open, 1).slice(0, -'1.chunk'.length))) return undefined;
    if (open.shop !== shop) throw anotherShop(target);
    return openChunk(bytes, cipher).head;
  } catch (error) {
    if (error instanceof DamagedDataError) return undefined;
    throw error;
  }
}
