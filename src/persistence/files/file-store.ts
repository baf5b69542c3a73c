/**
 * The files that products deliver, as they lie in `<data>/files/`.
 *
 * Invariant: a name is handed out only when its file is durable, and what it stands for never changes: a product whose
 * file is replaced gets another name, so an order keeps what it bought. No file that a fact names is ever removed.
 * Opening the store looks at none of them: a missing one is the trouble of whoever asks for it, not of the node. Where
 * nodes share a log, a file is shared before its name is handed out, and one that this folder lacks is fetched when
 * somebody asks for it.
 */
import { rm } from 'node:fs/promises';
import type { ProductFile } from '../../engine/products.ts';
import { Semaphore } from '../../shared/semaphore.ts';
import { FileError, MAX_FILE_BYTES } from './file-errors.ts';
import { type FetchingLog, FileFetching } from './file-fetching.ts';
import { takeIn } from './file-upload.ts';
import { FILE_ID_FORM, FilesFolder } from './files-folder.ts';
import type { SharedFiles } from './shared-files.ts';
import { StoredFile } from './stored-file.ts';

/** Each keeps a thread of the pool busy, which has 16, while it writes or syncs. */
export const MAX_UPLOADS = 4;
/**
 * Reads and the journal's commits share that pool: on a disk that answers slowly, readers without a limit would take
 * all of it and every purchase would wait for them. Each open file waits for at most one read.
 */
const MAX_READS_AT_ONCE = 4;

export interface FileStoreOptions {
  readonly maxFileBytes?: number | undefined;
  /** Where nodes that share a log have their files. */
  readonly shared?: SharedFiles | undefined;
  /** Hears why files of other nodes don't come; default: nobody does. */
  readonly log?: FetchingLog | undefined;
}

const NO_LOG: FetchingLog = { warn: () => {}, error: () => {} };

export class FileStore {
  readonly #folder: FilesFolder;
  readonly #shared: SharedFiles | undefined;
  readonly #fetching: FileFetching | undefined;
  readonly #maxFileBytes: number;
  readonly #reads = new Semaphore(MAX_READS_AT_ONCE);
  readonly #uploads = new Set<Promise<unknown>>();
  #isClosed = false;

  private constructor(
    folder: FilesFolder,
    { maxFileBytes = MAX_FILE_BYTES, shared, log = NO_LOG }: FileStoreOptions,
  ) {
    this.#folder = folder;
    this.#maxFileBytes = maxFileBytes;
    this.#shared = shared;
    this.#fetching = shared && new FileFetching(folder, shared, log);
  }

  /** Makes the folder when it isn't there. */
  static open(dataDir: string, options: FileStoreOptions = {}): FileStore {
    const folder = new FilesFolder(dataDir);
    folder.make();
    return new FileStore(folder, options);
  }

  /** Has a file of another node brought here, behind what else there is to do; without an id, all that are missing. */
  want(fileId?: string): void {
    this.#fetching?.want(fileId);
  }

  /**
   * Resolves when the file is durable, and every node can get it. Rejects with `FileError`, or with what `chunks`
   * throws; nothing is left of it then.
   */
  async add(chunks: AsyncIterable<Uint8Array>, contentType: string): Promise<ProductFile> {
    if (this.#isClosed) throw new FileError('closed', 'the store of files is closed');
    if (this.#uploads.size >= MAX_UPLOADS)
      throw new FileError('too-many', 'too many files are being uploaded');
    const upload = this.#takeIn(chunks, contentType);
    const ended = upload.catch(() => {});
    this.#uploads.add(ended);
    try {
      return await upload;
    } finally {
      this.#uploads.delete(ended);
    }
  }

  /** Opens a file for reading. Rejects with `unreadable`. */
  async openFile(fileId: string): Promise<StoredFile> {
    const path = this.#folder.path(checked(fileId));
    await this.#fetching?.fetch(fileId);
    return StoredFile.open(fileId, path, this.#reads);
  }

  /** Removes a file that no fact names and none ever will. */
  async discard(fileId: string): Promise<void> {
    await rm(this.#folder.path(checked(fileId)), { force: true });
    // What stays there costs room and nothing else.
    await this.#shared?.remove(fileId).catch(() => {});
  }

  /** Takes in nothing more, and resolves when the uploads under way have ended; their senders must have gone. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#fetching?.close();
    await Promise.all(this.#uploads);
  }

  async #takeIn(chunks: AsyncIterable<Uint8Array>, contentType: string): Promise<ProductFile> {
    const file = await takeIn(this.#folder, { chunks, contentType, maxBytes: this.#maxFileBytes });
    try {
      await this.#shared?.put(file.fileId, this.#folder.path(file.fileId));
      return file;
    } catch (error) {
      await this.discard(file.fileId);
      throw error;
    }
  }
}

function checked(fileId: string): string {
  if (!FILE_ID_FORM.test(fileId)) throw new Error(`${JSON.stringify(fileId)} is no file's id`);
  return fileId;
}
