/**
 * The files that products deliver, as they lie in `<data>/files/`.
 *
 * What always holds: a name is handed out only when its file is durable, and what it stands for never changes:
 * a product whose file is replaced gets another name, so an order keeps what it bought. No file that a fact
 * names is ever removed. Opening the store looks at none of them: a missing one is the trouble of whoever asks
 * for it, not of the node.
 */
import { rm } from 'node:fs/promises';
import type { ProductFile } from '../../engine/products.ts';
import { Turns } from '../turns.ts';
import { FilesClosedError, MAX_FILE_BYTES, TooManyUploadsError } from './file-errors.ts';
import { takeIn } from './file-upload.ts';
import { FilesFolder } from './files-folder.ts';
import { StoredFile } from './stored-file.ts';

/** Each keeps a thread of the pool busy, which has 16, while it writes or syncs. */
export const MAX_UPLOADS = 4;
/**
 * Reads and the journal's commits share that pool: on a disk that answers slowly, readers without a limit would take
 * all of it and every purchase would wait for them. Each open file waits for at most one read.
 */
const MAX_READS_AT_ONCE = 4;

const FILE_ID_FORM = /^[0-9a-f]{32}$/;

export class FileStore {
  readonly #folder: FilesFolder;
  readonly #maxFileBytes: number;
  readonly #turns = new Turns(MAX_READS_AT_ONCE);
  readonly #uploads = new Set<Promise<unknown>>();
  #isClosed = false;

  private constructor(folder: FilesFolder, maxFileBytes: number) {
    this.#folder = folder;
    this.#maxFileBytes = maxFileBytes;
  }

  /** Makes the folder when it isn't there, and removes what interrupted uploads left. */
  static open(dataDir: string, maxFileBytes = MAX_FILE_BYTES): FileStore {
    const folder = new FilesFolder(dataDir);
    folder.prepare();
    return new FileStore(folder, maxFileBytes);
  }

  /**
   * Resolves when the file is durable. Rejects with `FileTooLargeError`, `EmptyFileError`, `FilesFullError`,
   * `TooManyUploadsError`, `FilesClosedError`, or with what `chunks` throws; nothing is left of it then.
   */
  async add(chunks: AsyncIterable<Uint8Array>, contentType: string): Promise<ProductFile> {
    if (this.#isClosed) throw new FilesClosedError();
    if (this.#uploads.size >= MAX_UPLOADS) throw new TooManyUploadsError();
    const upload = takeIn(this.#folder, { chunks, contentType, maxBytes: this.#maxFileBytes });
    const ended = upload.then(
      () => {},
      () => {},
    );
    this.#uploads.add(ended);
    try {
      return await upload;
    } finally {
      this.#uploads.delete(ended);
    }
  }

  /** Opens a file for reading. Rejects with `UnreadableFileError`. */
  openFile(fileId: string): Promise<StoredFile> {
    return StoredFile.open(fileId, this.#folder.path(checked(fileId)), this.#turns);
  }

  /** Removes a file that no fact names and none ever will. */
  async discard(fileId: string): Promise<void> {
    await rm(this.#folder.path(checked(fileId)), { force: true });
  }

  /** Takes in nothing more, and resolves when the uploads under way have ended; their senders must have gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#uploads);
  }
}

/** A name that isn't one of ours could lead out of the folder. */
function checked(fileId: string): string {
  if (!FILE_ID_FORM.test(fileId)) throw new Error(`${JSON.stringify(fileId)} is no file's id`);
  return fileId;
}
