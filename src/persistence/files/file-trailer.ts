/**
 * The trailer of a stored file: its description, JSON padded with spaces to 448 bytes, and the SHA-256 of these; 512
 * bytes behind its content.
 *
 * An order outlives its product's file: once that is replaced, nothing in memory knows the old one's type and size any
 * more. They stand in the file, so one rename makes content and description durable together, one `open` finds both,
 * and no scan of the history is needed. Behind the content, not before it: it is written in one pass, when size and
 * hash are known, and a position in the file is a position in what the buyer gets. A file of its own beside the content
 * could be lost by itself.
 */
import { hash } from 'node:crypto';
import type { ProductFile } from '../../engine/products.ts';
import { unreadableFile } from './file-errors.ts';

export const TRAILER_BYTES = 512;
const DIGEST_BYTES = 64;
const TEXT_BYTES = TRAILER_BYTES - DIGEST_BYTES;

/** Longest `contentType`, which is printable ASCII: with every character escaped, the description still fits. */
export const MAX_CONTENT_TYPE_LENGTH = 128;

export function encodeTrailer({ fileId, sizeBytes, contentType, sha256 }: ProductFile): Buffer {
  const text = JSON.stringify({ fileId, sizeBytes, contentType, sha256 });
  if (Buffer.byteLength(text) > TEXT_BYTES) throw new Error(`a file's description is too long: ${text}`);
  const padded = text.padEnd(TEXT_BYTES);
  return Buffer.from(padded + hash('sha256', padded));
}

/** `fileBytes` is the size of the whole file. Throws `unreadable`. */
export function decodeTrailer(fileId: string, trailer: Buffer, fileBytes: number): ProductFile {
  const text = trailer.toString('utf8', 0, TEXT_BYTES);
  if (hash('sha256', text) !== trailer.toString('latin1', TEXT_BYTES)) {
    throw unreadableFile(fileId, 'its description, the last 512 bytes, is damaged');
  }
  const description = JSON.parse(text) as ProductFile;
  if (description.fileId !== fileId) {
    throw unreadableFile(fileId, `it is another file, ${description.fileId}`);
  }
  if (description.sizeBytes + TRAILER_BYTES !== fileBytes) {
    throw unreadableFile(fileId, `its size is not the ${description.sizeBytes} bytes that were stored`);
  }
  return description;
}
