/**
 * A catalog compressed once, however often it is asked for: one gzip member (RFC 1952) whose last block, which has the id of
 * the request, is made for each answer. The block is stored as it is, and the checksum goes on from that of the rest.
 *
 * Invariant: the text is made in slices, and compressed on libuv's threads. Rejected: a second gzip member for the id,
 * which some clients don't read.
 */
import { constants, crc32, createDeflateRaw } from 'node:zlib';
import { ownTick } from '../../shared/event-loop.ts';
import { nextSlice } from '../sliced-answer.ts';
import type { ReplyBody } from '../transport/reply-stream.ts';

/** Deflate, no flags, no time, no name, any system. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const LAST_STORED_BLOCK = 1;
const CHUNK_BYTES = 64 * 1024;
const READER_IDLE_TIMEOUT_MS = 30_000;

export interface PackedText {
  readonly bytes: Buffer;
  /** The checksum of the text, before it was compressed. */
  readonly sum: number;
  readonly length: number;
}

/** Compresses the text, of which more is to come. */
export async function packed(parts: Iterator<string, undefined>): Promise<PackedText> {
  const deflate = createDeflateRaw({ finishFlush: constants.Z_SYNC_FLUSH });
  const chunks: Buffer[] = [HEAD];
  deflate.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => deflate.once('end', resolve).once('error', reject));
  let sum = 0;
  let length = 0;
  for (let isLast = false; !isLast; ) {
    const slice = nextSlice(parts);
    isLast = slice.isLast;
    const text = Buffer.from(slice.text);
    sum = crc32(text, sum);
    length += text.length;
    deflate.write(text);
    if (!isLast) await ownTick();
  }
  deflate.end();
  await ended;
  return { bytes: Buffer.concat(chunks), sum, length };
}

/** The whole of it with this end, which has fewer than 65,536 bytes. */
export class PackedBody implements ReplyBody {
  readonly lengthBytes: number;
  readonly idleTimeoutMs = READER_IDLE_TIMEOUT_MS;
  readonly #bytes: Buffer;
  readonly #end: Buffer;
  #read = 0;

  constructor({ bytes, sum, length }: PackedText, end: string) {
    const text = Buffer.from(end);
    const block = Buffer.alloc(5);
    block.writeUInt8(LAST_STORED_BLOCK, 0);
    block.writeUInt16LE(text.length, 1);
    block.writeUInt16LE(text.length ^ 0xffff, 3);
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(crc32(text, sum), 0);
    trailer.writeUInt32LE((length + text.length) % 2 ** 32, 4);
    this.#bytes = bytes;
    this.#end = Buffer.concat([block, text, trailer]);
    this.lengthBytes = bytes.length + this.#end.length;
  }

  async read(): Promise<Uint8Array | undefined> {
    const { length } = this.#bytes;
    const start = this.#read;
    if (start > length) return undefined;
    this.#read = start < length ? Math.min(start + CHUNK_BYTES, length) : length + 1;
    return start < length ? this.#bytes.subarray(start, this.#read) : this.#end;
  }

  async close(): Promise<void> {}
}
