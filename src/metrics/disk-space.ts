/**
 * How much room the file system of a folder has, by the system's figures, which know nothing of quotas: whether there is
 * room for a write only the write says. As `df` reckons: what is reserved for root is neither free nor part of the whole.
 *
 * Nobody waits for a look but who asked for it: it may take long on a disk that is busy or gone.
 */
import { statfs } from 'node:fs/promises';

export interface DiskFigures {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export class DiskSpace {
  readonly #folder: string;
  #figures: DiskFigures | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** As of the last look; undefined before the first, and when the last one failed. */
  get figures(): DiskFigures | undefined {
    return this.#figures;
  }

  /** Rejects with the system's error. */
  async look(): Promise<DiskFigures> {
    try {
      const { bavail, bfree, blocks, bsize } = await statfs(this.#folder);
      this.#figures = { freeBytes: bavail * bsize, totalBytes: (blocks - bfree + bavail) * bsize };
      return this.#figures;
    } catch (error) {
      this.#figures = undefined;
      throw error;
    }
  }
}
