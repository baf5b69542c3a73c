/**
 * Keeps the folder's place in the shared log on disk, so that the next start goes on there.
 *
 * Invariant: the place on disk is never ahead of the folder's files. Whoever starts there takes at most what came since
 * the last look again.
 */
import { isOutOfSpace } from '../persistence/disk/disk-room.ts';
import { keepDurably } from '../persistence/disk/durable-file.ts';
import { type ClusterFile, clusterFilePath, clusterFileText } from './cluster-file.ts';
import type { Place } from './log-follower.ts';

export class PlaceKeeper {
  readonly #folder: string;
  readonly #file: ClusterFile;
  #kept: Place;
  #writing: Promise<void> | undefined;

  /** `file`: as it is on disk. */
  constructor(folder: string, file: ClusterFile) {
    this.#folder = folder;
    this.#file = file;
    this.#kept = file;
  }

  /** The folder's files have everything up to this place. Rejects with the file system's errors, but for want of room. */
  async keep(place: Place): Promise<void> {
    if (this.#writing !== undefined || place.entry <= this.#kept.entry) return;
    this.#writing = this.#write(place);
    try {
      await this.#writing;
    } finally {
      this.#writing = undefined;
    }
  }

  async #write({ entry, term }: Place): Promise<void> {
    try {
      await keepDurably(clusterFilePath(this.#folder), clusterFileText({ ...this.#file, entry, term }));
    } catch (error) {
      // Later there may be room again.
      if (isOutOfSpace(error)) return;
      throw error;
    }
    this.#kept = { entry, term };
  }
}
