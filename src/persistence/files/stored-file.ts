/**
 * A stored file, open for reading. Whoever has one closes it; what its name stands for never changes, so any
 * number may read it at any positions, while it lasts also after it was removed.
 */
import { type FileHandle, open } from 'node:fs/promises';
import type { ProductFile } from '../../engine/products.ts';
import type { Semaphore } from '../../shared/semaphore.ts';
import { FileError, unreadableFile } from './file-errors.ts';
import { decodeTrailer, TRAILER_BYTES } from './file-trailer.ts';

const CHUNK_BYTES = 128 * 1024;

export class StoredFile {
  readonly description: ProductFile;
  readonly #handle: FileHandle;
  readonly #reads: Semaphore;
  #closing: Promise<void> | undefined;

  private constructor(description: ProductFile, handle: FileHandle, reads: Semaphore) {
    this.description = description;
    this.#handle = handle;
    this.#reads = reads;
  }

  /** Throws `unreadable`. */
  static async open(fileId: string, path: string, reads: Semaphore): Promise<StoredFile> {
    const handle = await reads.run(() => open(path, 'r')).catch((error: unknown) => fail(fileId, error));
    try {
      const description = await reads.run(() => readTrailer(fileId, handle));
      return new StoredFile(description, handle, reads);
    } catch (error) {
      await handle.close();
      return fail(fileId, error);
    }
  }

  /** Reads the bytes from `start` up to `end`, exclusive; closing it closes the file. */
  range(start: number, end: number): FileRange {
    return new FileRange(this, start, end);
  }

  /** Fills the buffer from there on; resolves with how many bytes there were. Throws `unreadable`. */
  async readAt(position: number, buffer: Uint8Array): Promise<number> {
    try {
      const { bytesRead } = await this.#reads.run(() =>
        this.#handle.read(buffer, 0, buffer.byteLength, position),
      );
      return bytesRead;
    } catch (error) {
      return fail(this.description.fileId, error);
    }
  }

  /** May be called again, and while a read is under way, which then ends first. */
  close(): Promise<void> {
    this.#closing ??= this.#handle.close();
    return this.#closing;
  }
}

/** A part of a file, front to back, through one buffer. */
export class FileRange {
  readonly #file: StoredFile;
  readonly #buffer: Uint8Array;
  readonly #end: number;
  #position: number;

  constructor(file: StoredFile, start: number, end: number) {
    this.#file = file;
    this.#buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK_BYTES, end - start));
    this.#position = start;
    this.#end = end;
  }

  /** The next bytes, whose memory the next call takes again; undefined after the last. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#position >= this.#end) return undefined;
    const wanted = this.#buffer.subarray(0, this.#end - this.#position);
    const bytes = await this.#file.readAt(this.#position, wanted);
    if (bytes === 0) throw unreadableFile(this.#file.description.fileId, 'it became shorter');
    this.#position += bytes;
    return this.#buffer.subarray(0, bytes);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

async function readTrailer(fileId: string, handle: FileHandle): Promise<ProductFile> {
  const { size } = await handle.stat();
  const trailer = Buffer.alloc(TRAILER_BYTES);
  if (size > TRAILER_BYTES) await handle.read(trailer, 0, TRAILER_BYTES, size - TRAILER_BYTES);
  return decodeTrailer(fileId, trailer, size);
}

function fail(fileId: string, error: unknown): never {
  if (FileError.is(error, 'unreadable')) throw error;
  throw unreadableFile(fileId, error instanceof Error ? error.message : String(error), {
    cause: error,
  });
}
