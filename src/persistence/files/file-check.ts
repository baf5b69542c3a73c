/**
 * Holds the stored files against the facts that name them, for `purser verify`: each is there, has the size and the
 * type that its fact says, and its content has the fact's SHA-256. Files that no fact names are told.
 *
 * The check goes along with the replay, so of the history's files only the names are in memory.
 */
import type { FactOf } from '../../engine/fact.ts';
import type { ProductFile } from '../../engine/products.ts';
import { Semaphore } from '../../shared/semaphore.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { unreadableFile } from './file-errors.ts';
import { proveContent } from './file-proof.ts';
import { FilesFolder } from './files-folder.ts';
import { StoredFile } from './stored-file.ts';

/** More names than these are only counted. */
const MAX_NAMED = 10;

export class FileCheck {
  readonly #folder: FilesFolder;
  readonly #print: (line: string) => void;
  readonly #named = new Set<string>();
  #amiss = 0;
  #bytes = 0;

  constructor(dataDir: string, print: (line: string) => void) {
    this.#folder = new FilesFolder(dataDir);
    this.#print = print;
  }

  async add({ productId, file }: Omit<FactOf<'ProductFileSet'>, 'kind' | 'atMs'>): Promise<void> {
    this.#named.add(file.fileId);
    try {
      await checkFile(this.#folder.path(file.fileId), file);
      this.#bytes += file.sizeBytes;
    } catch (error) {
      this.#amiss += 1;
      this.#print(`product ${productId}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** Throws `DamagedDataError` when any file was amiss. */
  finish(): void {
    const strangers = this.#folder.names().filter((name) => !this.#named.has(name));
    if (strangers.length > 0) {
      const names = strangers.slice(0, MAX_NAMED).join(' ') + (strangers.length > MAX_NAMED ? ' …' : '');
      this.#print(
        `files: ${strangers.length} not used by any product or order, and safe to remove: ${names}`,
      );
    }
    if (this.#amiss > 0) {
      throw new DamagedDataError(`${this.#amiss} of ${this.#named.size} product files can't be delivered`);
    }
    this.#print(`files: ${this.#named.size} with ${this.#bytes} bytes, none missing or changed`);
  }
}

async function checkFile(path: string, { fileId, ...expected }: ProductFile): Promise<void> {
  const file = await StoredFile.open(fileId, path, new Semaphore(1));
  try {
    const { sizeBytes, contentType, sha256 } = file.description;
    const isSame = contentType === expected.contentType && sizeBytes === expected.sizeBytes;
    if (!isSame || sha256 !== expected.sha256) {
      throw unreadableFile(fileId, 'its size, type or SHA-256 differs from the journal');
    }
    await proveContent(file);
  } finally {
    await file.close();
  }
}
