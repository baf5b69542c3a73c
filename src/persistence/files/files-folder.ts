/**
 * `<data>/files/`: a file's name is its id. Files that are still being uploaded are in `<data>/unfinished/`, so that a
 * start clears up by listing a folder with a handful of names, however many files there are. A file that got its name
 * and no fact, since the node was killed in between, stays: only the whole history could tell that nobody needs it.
 * `purser verify`, which reads that, names it.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolderOf } from '../disk/durable-file.ts';
import { unfinishedOf, unfinishedPathOf } from '../disk/unfinished.ts';

const FILES_FOLDER = 'files';
/** A name that isn't one of ours could lead out of the folder. */
export const FILE_ID_FORM = /^[0-9a-f]{32}$/;

export class FilesFolder {
  readonly #dataDir: string;
  readonly #path: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.#path = join(dataDir, FILES_FOLDER);
  }

  path(fileId: string): string {
    return join(this.#path, fileId);
  }

  /** The path at which a file is written, in a folder that `make` has made. */
  unfinishedPath(fileId: string): string {
    return unfinishedPathOf(join(this.#dataDir, `file-${fileId}`));
  }

  /** Makes the folder when it isn't there, and the one for unfinished files. */
  make(): void {
    mkdirSync(this.#path, { recursive: true, mode: 0o700 });
    unfinishedOf(this.#path);
    syncFolderOf(this.#path);
  }

  /** The files that are there; none when there is no folder. */
  names(): string[] {
    if (!existsSync(this.#path)) return [];
    return readdirSync(this.#path);
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
