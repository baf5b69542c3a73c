/**
 * A log in memory, of real frames, whose commits last until they are told to end: durable, refused for want of room,
 * or cut off by a crash, which leaves a frame on disk or doesn't, and nobody hears which.
 */
import { strict as assert } from 'node:assert';
import type { Fact } from '../../src/engine/fact.ts';
import { JournalFullError } from '../../src/engine/loop/journal.ts';
import { type FrameLog, GENESIS, type LogHead } from '../../src/persistence/journal/frame-log.ts';
import { extentOf, frameHash } from '../../src/persistence/journal/journal-frame.ts';
import { JournalReader } from '../../src/persistence/journal/journal-reader.ts';

interface Commit {
  readonly frame: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class SimulatedLog implements FrameLog {
  readonly #frames: Buffer[] = [];
  #head = GENESIS;
  #commit: Commit | undefined;

  get head(): LogHead {
    return this.#head;
  }

  get isCommitting(): boolean {
    return this.#commit !== undefined;
  }

  append(frame: Buffer): Promise<void> {
    assert.equal(this.#commit, undefined, 'two commits at a time');
    const { first } = extentOf(frame);
    if (first !== this.#head.position + 1) {
      return Promise.reject(new Error(`a frame from ${first} doesn't follow ${this.#head.position}`));
    }
    return new Promise((resolve, reject) => {
      this.#commit = { frame, resolve, reject };
    });
  }

  *read(position: number): IterableIterator<Buffer> {
    for (const frame of this.#frames) if (extentOf(frame).last > position) yield frame;
  }

  async close(): Promise<void> {}

  /** Ends the commit under way, if there is one, well. */
  land(): void {
    const commit = this.#commit;
    this.#write();
    commit?.resolve();
  }

  refuse(): void {
    const commit = this.#commit;
    this.#commit = undefined;
    commit?.reject(new JournalFullError());
  }

  /** Nobody hears of the commit under way any more. */
  crash(isWritten: boolean): void {
    if (isWritten) this.#write();
    this.#commit = undefined;
  }

  /** All that is durable, from the bytes, link by link. */
  facts(): Fact[] {
    return [...new JournalReader(this, GENESIS).read()].flatMap(({ facts }) => facts);
  }

  #write(): void {
    if (this.#commit === undefined) return;
    const { frame } = this.#commit;
    this.#commit = undefined;
    this.#frames.push(frame);
    this.#head = { position: extentOf(frame).last, hash: frameHash(frame) };
  }
}
