/**
 * What lies in an archive: chunks as backups have them (`../backup/chunk.ts`), sealed, with frames of the journal alone.
 * A name says epoch, first and last fact: `archive/000001/0000000000000001-0000000000031337.chunk`.
 *
 * What always holds: a chunk counts when its seal opens and its frames make one chain from the place that its head names to
 * the other. The hash of that chain's end is in the journal that goes on behind it, so nobody needs a list of chunks.
 */
import { type ArchiveChunkHead, encodeChunk, epochText, openChunk } from '../backup/chunk.ts';
import { type ChunkEntry, readEntries } from '../backup/chunk-entries.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import type { RowCipher } from '../persistence/disk/row-cipher.ts';
import { FrameChain } from '../persistence/journal/frame-chain.ts';
import type { LogHead } from '../persistence/journal/frame-log.ts';

export const ARCHIVE = 'archive/';

export interface ArchiveChunk {
  /** Whose (`KeyRing.shop`). */
  readonly shop: string;
  readonly epoch: number;
  readonly from: LogHead;
  readonly to: LogHead;
  /** When the last fact happened, Unix milliseconds. */
  readonly lastAtMs: number;
}

export interface NamedFacts {
  readonly name: string;
  readonly epoch: number;
  readonly first: number;
  readonly last: number;
}

export function archiveName({ epoch, from, to }: ArchiveChunk): string {
  return `${ARCHIVE}${epochText(epoch)}/${factText(from.position + 1)}-${factText(to.position)}.chunk`;
}

/** Undefined when the name is no such chunk's. */
export function parseArchiveName(name: string): NamedFacts | undefined {
  const match = /^archive\/(\d{6,})\/(\d{16})-(\d{16})\.chunk$/.exec(name);
  if (match === null) return undefined;
  return { name, epoch: Number(match[1]), first: Number(match[2]), last: Number(match[3]) };
}

/** `body`: of a `ChunkBody` that has frames alone. */
export function encodeArchiveChunk(chunk: ArchiveChunk, body: Uint8Array, cipher: RowCipher): Buffer {
  const head: ArchiveChunkHead = { ...chunk, series: 'archive', number: 0, previous: '' };
  return encodeChunk(head, body, cipher);
}

/** Proves all of it, and gives the frames. Throws `DamagedDataError` when it isn't what its name and head say. */
export function openArchiveChunk(
  { name, first, last }: NamedFacts,
  bytes: Buffer,
  cipher: Pick<RowCipher, 'open'>,
): { readonly chunk: ArchiveChunk; readonly frames: readonly Buffer[] } {
  const opened = openChunk(bytes, cipher);
  const { shop, epoch, series, from, to, lastAtMs } = opened.head as unknown as ArchiveChunkHead;
  const chunk: ArchiveChunk = { shop, epoch, from, to, lastAtMs };
  const isNamed = series === 'archive' && archiveName(chunk) === name;
  if (!isNamed || from.position + 1 !== first || to.position !== last)
    throw new DamagedDataError('it is another chunk, under a wrong name');
  const frames: Buffer[] = [];
  const chain = new FrameChain(from);
  for (const entry of readEntries(opened.body)) {
    chain.add(frameOf(entry));
    frames.push(frameOf(entry));
  }
  if (chain.head.position !== to.position || !chain.head.hash.equals(to.hash))
    throw new DamagedDataError('its frames end elsewhere than it says');
  return { chunk, frames };
}

function frameOf(entry: ChunkEntry): Buffer {
  if (entry.kind === 'frame') return entry.frame;
  throw new DamagedDataError(`it has an entry of the kind ${entry.kind}`);
}

function factText(position: number): string {
  return String(position).padStart(16, '0');
}
