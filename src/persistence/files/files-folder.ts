/**
 * `<data>/files/`: a file's name is its id, and below `unfinished/` lie files that are still being uploaded.
 *
 * The two are apart so that a start clears up by listing a folder with a handful of names, however many files there
 * are. A file that got its name and no fact, since the node was killed in between, stays: only the whole history could
 * tell that nobody needs it. `purser verify`, which reads that, names it.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolderOf } from '../disk/durable-file.ts';

const FILES_FOLDER = 'files';
const UNFINISHED_FOLDER = 'unfinished';
/** A name that isn't one of ours could lead out of the folder. */
export const FILE_ID_FORM = /^[0-9a-f]{32}$/;

export class FilesFolder {
  readonly #path: string;
  readonly #unfinishedPath: string;

  constructor(dataDir: string) {
    this.#path = join(dataDir, FILES_FOLDER);
    this.#unfinishedPath = join(this.#path, UNFINISHED_FOLDER);
  }

  path(fileId: string): string {
    return join(this.#path, fileId);
  }

  unfinishedPath(fileId: string): string {
    return join(this.#unfinishedPath, fileId);
  }

  /** Makes the folders, or removes what interrupted uploads left in them. */
  prepare(): void {
    mkdirSync(this.#unfinishedPath, { recursive: true, mode: 0o700 });
    syncFolderOf(this.#unfinishedPath);
    syncFolderOf(this.#path);
    for (const name of readdirSync(this.#unfinishedPath)) {
      rmSync(join(this.#unfinishedPath, name), { force: true });
    }
  }

  /** The files that are there, finished ones only; none when there is no folder. */
  names(): string[] {
    if (!existsSync(this.#path)) return [];
    return readdirSync(this.#path).filter((name) => name !== UNFINISHED_FOLDER);
  }

  /** Makes names given or taken survive a power cut. */
  async sync(): Promise<void> {
    const folder = await open(this.#path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }
}
