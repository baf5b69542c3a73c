/**
 * A journal in memory, of real frames, whose commits last until they are told to end: durable, refused for want of
 * room, or cut off by a crash, which leaves a frame on disk or doesn't, and nobody hears which.
 */
import { strict as assert } from 'node:assert';
import type { Fact } from '../../src/engine/fact.ts';
import { type Journal, JournalFullError } from '../../src/engine/journal.ts';
import { ByteWriter } from '../../src/persistence/codec/byte-writer.ts';
import {
  decodeFrame,
  encodeFrame,
  frameHash,
  GENESIS_HASH,
} from '../../src/persistence/journal/journal-frame.ts';
import { checkLink } from '../../src/persistence/journal/journal-reader.ts';

interface Commit {
  readonly firstSequence: number;
  readonly facts: readonly Fact[];
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class SimulatedJournal implements Journal {
  readonly #scratch = new ByteWriter();
  readonly #frames: Buffer[] = [];
  readonly #onDurable: (facts: readonly Fact[]) => void;
  #head = { position: 0, hash: GENESIS_HASH };
  #commit: Commit | undefined;

  /** `onDurable` is told of all facts in their order, each once. */
  constructor(onDurable: (facts: readonly Fact[]) => void) {
    this.#onDurable = onDurable;
  }

  /** Of the last fact that is durable. */
  get position(): number {
    return this.#head.position;
  }

  get isCommitting(): boolean {
    return this.#commit !== undefined;
  }

  append(firstSequence: number, facts: readonly Fact[]): Promise<void> {
    assert.equal(this.#commit, undefined, 'two commits at a time');
    assert.equal(firstSequence, this.position + 1, 'a group that does not follow the one before');
    return new Promise((resolve, reject) => {
      this.#commit = { firstSequence, facts, resolve, reject };
    });
  }

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

  /** From the bytes, link by link. */
  read(): Fact[] {
    let head = { position: 0, hash: GENESIS_HASH };
    return this.#frames.flatMap((bytes) => {
      const frame = decodeFrame(bytes);
      checkLink(head, frame);
      head = { position: frame.firstSequence + frame.facts.length - 1, hash: frame.hash };
      return frame.facts;
    });
  }

  #write(): void {
    if (this.#commit === undefined) return;
    const { firstSequence, facts } = this.#commit;
    this.#commit = undefined;
    const frame = encodeFrame(this.#scratch, firstSequence, facts, this.#head.hash);
    this.#frames.push(frame);
    this.#head = { position: firstSequence + facts.length - 1, hash: frameHash(frame) };
    this.#onDurable(facts);
  }
}
