/**
 * A target each of whose calls is tried again by itself: for work of many calls, of which one fails now and then. Lists are
 * read whole before they are given, so that none ends in the middle.
 */
import type { Retrying } from './retrying.ts';
import type { BackupTarget, TargetObject } from './target/backup-target.ts';

export class RetryingTarget implements BackupTarget {
  readonly url: string;
  readonly #target: BackupTarget;
  readonly #retrying: Retrying;

  constructor(target: BackupTarget, retrying: Retrying) {
    this.url = target.url;
    this.#target = target;
    this.#retrying = retrying;
  }

  get holdsThread(): boolean {
    return this.#target.holdsThread;
  }

  /** False also when an attempt before wrote it and was not heard: read it. */
  create(name: string, bytes: Uint8Array): Promise<boolean> {
    return this.#retrying.until((signal) => this.#target.create(name, bytes, { signal }));
  }

  read(name: string): Promise<Buffer | undefined> {
    return this.#retrying.until((signal) => this.#target.read(name, { signal }));
  }

  async *list(prefix: string, options: { readonly after?: string } = {}): AsyncIterable<TargetObject> {
    const { after } = options;
    yield* await this.#retrying.until(async (signal) => {
      const objects: TargetObject[] = [];
      const range = after === undefined ? { signal } : { signal, after };
      for await (const object of this.#target.list(prefix, range)) objects.push(object);
      return objects;
    });
  }

  remove(name: string): Promise<void> {
    return this.#retrying.until((signal) => this.#target.remove(name, { signal }));
  }

  /** The target is closed by its owner: nothing is done here. */
  async close(): Promise<void> {}
}
