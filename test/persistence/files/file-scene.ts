/** A file store in a folder of its own, uploads to it and what they should read as. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileStore, type FileStoreOptions } from '../../../src/persistence/files/file-store.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';

export class FileScene {
  store: FileStore;
  readonly #folder: TemporaryFolder;

  private constructor(folder: TemporaryFolder, options: FileStoreOptions) {
    this.#folder = folder;
    this.store = FileStore.open(folder.path, options);
  }

  static async open(options: FileStoreOptions = {}): Promise<FileScene> {
    return new FileScene(await createTemporaryFolder('files'), options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.store.close();
    await this.#folder.remove();
  }

  get dataDir(): string {
    return this.#folder.path;
  }

  pathOf(fileId: string): string {
    return join(this.dataDir, 'files', fileId);
  }

  async reopen(): Promise<void> {
    await this.store.close();
    this.store = FileStore.open(this.dataDir);
  }

  /** The files that are there, unfinished ones with their folder. */
  names(): string[] {
    return listFiles(this.dataDir);
  }

  bytesOnDisk(fileId: string): Buffer {
    return readFileSync(this.pathOf(fileId));
  }
}

export function listFiles(dataDir: string): string[] {
  const unfinished = join(dataDir, 'unfinished');
  const cutOff = existsSync(unfinished) ? readdirSync(unfinished) : [];
  return [...readdirSync(join(dataDir, 'files')), ...cutOff.map((name) => `unfinished/${name}`)];
}

/** In chunks of the given size, as a network might bring them. */
export async function* chunksOf(bytes: Uint8Array, chunkBytes = 10_000): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += chunkBytes) {
    yield bytes.subarray(offset, offset + chunkBytes);
  }
}

/** The bytes that a reader gets of a file, from `start` up to `end`. */
export async function readBack(store: FileStore, fileId: string, start = 0, end?: number): Promise<Buffer> {
  const file = await store.openFile(fileId);
  const range = file.range(start, end ?? file.description.sizeBytes);
  try {
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = await range.read();
      if (chunk === undefined) return Buffer.concat(chunks);
      chunks.push(Buffer.from(chunk));
    }
  } finally {
    await range.close();
  }
}
