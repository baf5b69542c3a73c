/**
 * How much room the file system of a folder has, looked at now and then: asking may take long on a disk that is busy or
 * gone, so nobody waits for it, and it is asked again only when it has answered.
 *
 * By the system's figures, which know nothing of quotas: whether there is room for a write only the write says.
 */
import { statfs } from 'node:fs/promises';

const LOOK_MS = 10_000;

export interface DiskFigures {
  /** What is left for those who aren't root. */
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

export class DiskSpace {
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #figures: DiskFigures | undefined;

  /** Looks now, and every ten seconds. */
  start(folder: string): void {
    this.#timer = setInterval(() => void this.#look(folder), LOOK_MS).unref();
    void this.#look(folder);
  }

  /** As of the last look; undefined before the first, and when the last one failed. */
  get figures(): DiskFigures | undefined {
    return this.#figures;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(folder: string): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const { bavail, blocks, bsize } = await statfs(folder);
      this.#figures = { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
    } catch {
      this.#figures = undefined;
    }
    this.#isLooking = false;
  }
}
