/**
 * Holds the stored files against the facts that name them, for `purser verify`: each is there, has the size and
 * the type that its fact says, and its content has the fact's SHA-256. Files that no fact names are told.
 *
 * It goes along with the replay, so of the history's files only the names are in memory.
 */
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Fact } from '../../engine/fact.ts';
import type { ProductFile } from '../../engine/products.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';
import { decodeTrailer, TRAILER_BYTES } from './file-trailer.ts';
import { FilesFolder } from './files-folder.ts';

const CHUNK_BYTES = 1024 * 1024;
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

  add(fact: Fact): void {
    if (fact.kind !== 'ProductFileSet') return;
    const { productId, file } = fact;
    this.#named.add(file.fileId);
    try {
      checkFile(this.#folder.path(file.fileId), file);
      this.#bytes += file.sizeBytes;
    } catch (error) {
      this.#amiss += 1;
      const reason = error instanceof Error ? error.message : String(error);
      this.#print(`file ${file.fileId} of product ${productId}: ${reason}`);
    }
  }

  /** Throws `DamagedDataError` when any file was amiss. */
  finish(): void {
    const strangers = this.#folder.names().filter((name) => !this.#named.has(name));
    if (strangers.length > 0) {
      const names = strangers.slice(0, MAX_NAMED).join(' ') + (strangers.length > MAX_NAMED ? ' …' : '');
      this.#print(`files: ${strangers.length} that nothing refers to and that may be removed: ${names}`);
    }
    if (this.#amiss > 0) {
      throw new DamagedDataError(`${this.#amiss} of ${this.#named.size} product files can't be delivered`);
    }
    this.#print(`files: ${this.#named.size} with ${this.#bytes} bytes, each as it was uploaded`);
  }
}

function checkFile(path: string, expected: ProductFile): void {
  const descriptor = openSync(path, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const trailer = Buffer.alloc(TRAILER_BYTES);
    readSync(descriptor, trailer, 0, TRAILER_BYTES, Math.max(0, size - TRAILER_BYTES));
    const found = decodeTrailer(expected.fileId, trailer, size);
    const isSame = found.contentType === expected.contentType && found.sizeBytes === expected.sizeBytes;
    if (!isSame || found.sha256 !== expected.sha256) {
      throw new DamagedDataError('it describes itself otherwise than the journal does');
    }
    if (sha256Of(descriptor, found.sizeBytes) !== expected.sha256) {
      throw new DamagedDataError('its content is not what was uploaded');
    }
  } finally {
    closeSync(descriptor);
  }
}

function sha256Of(descriptor: number, sizeBytes: number): string {
  const digest = createHash('sha256');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let position = 0; position < sizeBytes; ) {
    const bytesRead = readSync(descriptor, chunk, 0, Math.min(CHUNK_BYTES, sizeBytes - position), position);
    if (bytesRead === 0) break;
    digest.update(chunk.subarray(0, bytesRead));
    position += bytesRead;
  }
  return digest.digest('hex');
}
