/**
 * An engine's state machine with a journal and a checkpoint on disk, for tests of what must be the same after folds and
 * starts at any moment.
 */
import { mkdirSync } from 'node:fs';
import { apply } from '../../../src/engine/apply/apply.ts';
import type { Command } from '../../../src/engine/decide/command.ts';
import { answer, decide } from '../../../src/engine/decide/decide.ts';
import type { History } from '../../../src/engine/decide/history.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import { State } from '../../../src/engine/state.ts';
import { loadState } from '../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { CheckpointHistory } from '../../../src/persistence/checkpoint/checkpoint-history.ts';
import { ByteWriter } from '../../../src/persistence/codec/byte-writer.ts';
import { GENESIS, type LogHead, type LogReader } from '../../../src/persistence/journal/frame-log.ts';
import { encodeFrame, frameHash } from '../../../src/persistence/journal/journal-frame.ts';
import { createStore } from '../../../src/persistence/store/file-list.ts';
import { StoreReader } from '../../../src/persistence/store/store-reader.ts';

class MemoryLog implements LogReader {
  readonly frames: Buffer[] = [];
  head: LogHead = GENESIS;
  *read(position: number): IterableIterator<Buffer> {
    for (const frame of this.frames) if (frame.readDoubleLE(8) > position) yield frame;
  }
  async close(): Promise<void> {}
}

export class SpendingShop {
  state = new State();
  nowMs: number;
  readonly facts: Fact[] = [];
  readonly #place: string;
  readonly #log = new MemoryLog();
  #reader: StoreReader;
  #history: History;
  #step: 'whole' | 'cut' | 'folded' = 'whole';
  #cutAt = 0;

  constructor(place: string, nowMs: number) {
    this.nowMs = nowMs;
    this.#place = place;
    mkdirSync(place);
    createStore(place);
    this.#reader = new StoreReader(place);
    this.#history = new CheckpointHistory(this.#reader);
  }

  execute(command: Command): unknown {
    const decision = decide(this.state, this.#history, command, this.nowMs);
    if ('atMs' in decision) this.#record(decision);
    return answer(this.state, decision);
  }

  record(facts: readonly Fact[]): void {
    for (const fact of facts) this.#record(fact);
  }

  /** The next step of a fold: the cut, the files, and that memory forgets what they have. */
  foldStep(): void {
    if (this.#step === 'whole') {
      this.state.cut();
      this.#cutAt = this.facts.length;
      this.#step = 'cut';
    } else if (this.#step === 'cut') {
      const fold = new CheckpointFold(this.#place, this.#log);
      fold.foldThrough(this.#cutAt);
      this.#open();
      this.#step = 'folded';
    } else {
      this.state.dropOlder();
      this.#step = 'whole';
    }
  }

  /** What is on disk, and the facts after it. */
  restart(): void {
    this.#open();
    this.state = loadState(this.#reader);
    for (const fact of this.facts.slice(this.state.position)) apply(this.state, fact);
    this.#step = 'whole';
  }

  close(): void {
    this.#reader.close();
  }

  #open(): void {
    this.#reader.close();
    this.#reader = new StoreReader(this.#place);
    this.#history = new CheckpointHistory(this.#reader);
  }

  #record(fact: Fact): void {
    apply(this.state, fact);
    this.facts.push(fact);
    const frame = encodeFrame(new ByteWriter(), this.facts.length, [fact], this.#log.head.hash);
    this.#log.frames.push(frame);
    this.#log.head = { position: this.facts.length, hash: frameHash(frame) };
  }
}
