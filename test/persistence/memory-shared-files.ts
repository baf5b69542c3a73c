/** Files that nodes share, in memory; whatever is asked fails while `isAway`. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { SharedFiles } from '../../src/persistence/files/shared-files.ts';

export class MemorySharedFiles implements SharedFiles {
  readonly files = new Map<string, Buffer>();
  isAway = false;
  fetches = 0;

  async put(fileId: string, path: string): Promise<void> {
    this.#ask();
    this.files.set(fileId, readFileSync(path));
  }

  async fetch(fileId: string, path: string): Promise<void> {
    this.fetches += 1;
    await new Promise((resolve) => setImmediate(resolve));
    this.#ask();
    writeFileSync(path, this.files.get(fileId) ?? '');
  }

  async names(after: string, limit: number): Promise<string[]> {
    this.#ask();
    const names = [...this.files.keys()].filter((name) => name > after);
    return names.toSorted().slice(0, limit);
  }

  async remove(fileId: string): Promise<void> {
    this.#ask();
    this.files.delete(fileId);
  }

  #ask(): void {
    if (this.isAway) throw new Error('nobody answers');
  }
}
