/**
 * Takes one upload in: written in `unfinished/` as it arrives, hashed on the way, synced, renamed.
 *
 * Invariant: when `takeIn` resolves, the file is on disk under its name, whatever happens next; when it rejects,
 * nothing of it is left. One chunk is in memory at a time.
 */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { ProductFile } from '../../engine/products.ts';
import { isOutOfSpace } from '../disk/disk-room.ts';
import { FileError, fileTooLarge } from './file-errors.ts';
import { encodeTrailer } from './file-trailer.ts';
import type { FilesFolder } from './files-folder.ts';

/** The journal's own flush must not wait behind a gigabyte that the system has not written yet. */
const SYNC_EVERY_BYTES = 16 * 1024 * 1024;

export interface Upload {
  readonly chunks: AsyncIterable<Uint8Array>;
  readonly contentType: string;
  readonly maxBytes: number;
}

export async function takeIn(folder: FilesFolder, upload: Upload): Promise<ProductFile> {
  const fileId = randomBytes(16).toString('hex');
  const unfinished = folder.unfinishedPath(fileId);
  try {
    const description = await write(unfinished, fileId, upload);
    await rename(unfinished, folder.path(fileId));
    await folder.sync();
    return description;
  } catch (error) {
    await rm(unfinished, { force: true });
    await rm(folder.path(fileId), { force: true });
    if (!isOutOfSpace(error)) throw error;
    throw new FileError('no-room', 'the disk is full: the file was not stored');
  }
}

async function write(path: string, fileId: string, upload: Upload): Promise<ProductFile> {
  const file = await open(path, 'wx', 0o600);
  try {
    const content = await writeContent(file, upload);
    const description = { fileId, contentType: upload.contentType, ...content };
    await file.writeFile(encodeTrailer(description));
    await file.sync();
    return description;
  } finally {
    await file.close();
  }
}

async function writeContent(
  file: FileHandle,
  { chunks, maxBytes }: Upload,
): Promise<{ sizeBytes: number; sha256: string }> {
  const digest = createHash('sha256');
  let sizeBytes = 0;
  let syncedBytes = 0;
  for await (const chunk of chunks) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw fileTooLarge(maxBytes);
    digest.update(chunk);
    await file.writeFile(chunk);
    if (sizeBytes - syncedBytes >= SYNC_EVERY_BYTES) {
      await file.datasync();
      syncedBytes = sizeBytes;
    }
  }
  if (sizeBytes === 0) throw new FileError('empty', 'the file is empty');
  return { sizeBytes, sha256: digest.digest('hex') };
}
