/**
 * `files/` of a restored folder: the files that products deliver, each put together from its parts, and given its name
 * when the fact that names it has come and its SHA-256 is right. Files that no restored fact names stay in `unfinished/`,
 * which the first start empties.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from 'node:fs';
import type { ChunkEntry } from '../backup/chunk-entries.ts';
import type { ProductFile } from '../engine/products.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { syncFolderOf } from '../persistence/disk/durable-file.ts';
import { encodeTrailer } from '../persistence/files/file-trailer.ts';
import { FilesFolder } from '../persistence/files/files-folder.ts';

const FILE_ID = /^[0-9a-f]{32}$/;
const READ_BYTES = 1024 * 1024;

export class RestoredFiles {
  readonly #folder: FilesFolder;

  constructor(folder: string) {
    this.#folder = new FilesFolder(folder);
    this.#folder.make();
  }

  /** Writes a part of a file. The same part may come again. Throws `DamagedDataError`, and what the disk throws. */
  part({ fileId, offset, bytes }: Extract<ChunkEntry, { readonly kind: 'file' }>): void {
    if (!FILE_ID.test(fileId)) throw new DamagedDataError('the backup has a file with a wrong name');
    if (existsSync(this.#folder.path(fileId))) return;
    const path = this.#folder.unfinishedPath(fileId);
    const file = openSync(path, existsSync(path) ? 'r+' : 'wx+', 0o600);
    try {
      for (let written = 0; written < bytes.length; ) {
        written += writeSync(file, bytes, written, bytes.length - written, offset + written);
      }
    } finally {
      closeSync(file);
    }
  }

  /** A fact names it: it is whole now. Throws `DamagedDataError`, and what the disk throws. */
  name(description: ProductFile): void {
    const { fileId, sizeBytes } = description;
    const [path, unfinished] = [this.#folder.path(fileId), this.#folder.unfinishedPath(fileId)];
    if (existsSync(path)) return;
    if (!existsSync(unfinished)) throw new DamagedDataError(`the backup lacks file ${fileId}`);
    const file = openSync(unfinished, 'r+');
    try {
      if (fstatSync(file).size !== sizeBytes || hashOf(file) !== description.sha256) {
        throw new DamagedDataError(`the backup has another file under the name of file ${fileId}`);
      }
      writeSync(file, encodeTrailer(description), 0, undefined, sizeBytes);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(unfinished, path);
  }

  /** Finishes the files when all facts have come. */
  finish(): void {
    syncFolderOf(this.#folder.path('any'));
  }
}

function hashOf(file: number): string {
  const digest = createHash('sha256');
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  for (let at = 0; ; ) {
    const count = readSync(file, buffer, 0, buffer.length, at);
    if (count === 0) return digest.digest('hex');
    digest.update(buffer.subarray(0, count));
    at += count;
  }
}
