/**
 * A chunk: an immutable object with the next part of the stream that a backup is (decision 31).
 *
 * 0 "purser chunk 1\n" 15 length of the head (4) 19 the head, JSON … the body, sealed
 *
 * The head is open, so that nobody needs a key to list a target's chunks; it is authenticated together with the body,
 * so it can't be changed either. The body is entries (`chunk-entries.ts`), sealed as one value: whole, or nothing.
 */
import { hash } from 'node:crypto';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import type { LogHead } from '../persistence/journal/frame-log.ts';
import { KeyError } from '../persistence/keys/key-error.ts';
import { type RowCipher, SEAL_BYTES } from '../persistence/keys/row-cipher.ts';

const MAGIC = Buffer.from('purser chunk 1\n');
const LENGTH_BYTES = 4;
const HEAD_AT = MAGIC.length + LENGTH_BYTES;
/** More is no head. */
const MAX_HEAD_BYTES = 4_096;

/** A body that has reached this is closed; it is longer by one entry at most. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

export const SERIES = ['base', 'log'] as const;
export type Series = (typeof SERIES)[number];

export interface ChunkHead {
  /** Whose (`KeyRing.shop`). */
  readonly shop: string;
  readonly epoch: number;
  readonly series: Series;
  /** The number of the chunk in its series and epoch, from 1, without a hole. */
  readonly number: number;
  /** SHA-256 (hex) of the chunk before, as it lies at the target; of the first one an empty text. */
  readonly previous: string;
  /** The journal's head before its first frame, and behind its last one; the same when it has none. */
  readonly from: LogHead;
  readonly to: LogHead;
  /** When the last fact through `to` happened, in Unix milliseconds; 0 before the first one. */
  readonly lastAtMs: number;
}

/** The chunk's bytes as they lie at a target. */
export function encodeChunk(head: ChunkHead, body: Uint8Array, cipher: RowCipher): Buffer {
  const { from, to, ...rest } = head;
  const json = Buffer.from(JSON.stringify({ ...rest, from: textOf(from), to: textOf(to) }));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  const open = Buffer.concat([MAGIC, length, json]);
  return Buffer.concat([open, cipher.seal(body, open)]);
}

/** Nothing of it is proved. Throws `DamagedDataError` when it is no chunk. */
export function readChunkHead(bytes: Buffer): ChunkHead {
  const json = bytes.subarray(HEAD_AT, headEnd(bytes)).toString();
  try {
    const head = JSON.parse(json) as Omit<ChunkHead, 'from' | 'to'> & { from: HeadText; to: HeadText };
    return { ...head, from: headOf(head.from), to: headOf(head.to) };
  } catch (error) {
    throw new DamagedDataError('the head of a chunk is damaged', { cause: error });
  }
}

/** Proves it with the keys. Throws `DamagedDataError` when it isn't as it was written. */
export function openChunk(
  bytes: Buffer,
  cipher: Pick<RowCipher, 'open'>,
): { readonly head: ChunkHead; readonly body: Buffer } {
  const head = readChunkHead(bytes);
  const end = headEnd(bytes);
  try {
    return { head, body: cipher.open(bytes.subarray(end), bytes.subarray(0, end)) };
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    throw new DamagedDataError(`a chunk does not open: ${error.message}`, { cause: error });
  }
}

export function chunkHash(bytes: Uint8Array): string {
  return hash('sha256', bytes);
}

/** `attempt` counts from 1: another one is needed when what lies under the name before is damaged. */
export function chunkName(
  { series, epoch, number }: Pick<ChunkHead, 'series' | 'epoch' | 'number'>,
  attempt: number,
): string {
  return `${seriesPrefix(series, epoch)}${numberText(number)}-${attempt}.chunk`;
}

/** A text behind the names of all chunks up to this number, and before those of the next. */
export function behindChunk({
  series,
  epoch,
  number,
}: Pick<ChunkHead, 'series' | 'epoch' | 'number'>): string {
  return `${seriesPrefix(series, epoch)}${numberText(number + 1)}`;
}

/** The prefix of the names of a series' chunks. */
export function seriesPrefix(series: Series, epoch: number): string {
  return `${series}/${epochText(epoch)}/`;
}

/** Undefined when the name is no chunk's. */
export function parseChunkName(
  name: string,
): (Pick<ChunkHead, 'series' | 'epoch' | 'number'> & { readonly attempt: number }) | undefined {
  const match = /^(base|log)\/(\d{6,})\/(\d{12,})-(\d{1,6})\.chunk$/.exec(name);
  if (match === null) return undefined;
  const [, series, epoch, number, attempt] = match;
  return { series: series as Series, epoch: Number(epoch), number: Number(number), attempt: Number(attempt) };
}

export function epochText(epoch: number): string {
  return String(epoch).padStart(6, '0');
}

function numberText(number: number): string {
  return String(number).padStart(12, '0');
}

interface HeadText {
  readonly position: number;
  readonly hash: string;
}

function textOf({ position, hash: digest }: LogHead): HeadText {
  return { position, hash: digest.toString('hex') };
}

function headOf({ position, hash: digest }: HeadText): LogHead {
  const bytes = Buffer.from(digest, 'hex');
  if (!Number.isSafeInteger(position) || bytes.length !== 32) throw new Error('no position');
  return { position, hash: bytes };
}

function headEnd(bytes: Buffer): number {
  const isChunk = bytes.length > HEAD_AT && bytes.subarray(0, MAGIC.length).equals(MAGIC);
  const length = isChunk ? bytes.readUInt32LE(MAGIC.length) : 0;
  const end = HEAD_AT + length;
  if (!isChunk || length > MAX_HEAD_BYTES || bytes.length < end + SEAL_BYTES) {
    throw new DamagedDataError('it is no chunk of a backup, or cut short');
  }
  return end;
}
