/**
 * A checkpoint that is folded from a log in memory, file by file, with what that takes of the processor: of the whole
 * process, with its garbage. Making the facts isn't counted.
 */
import type { Fact } from '../../src/engine/fact.ts';
import { checkpointIn, createCheckpoint } from '../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../src/persistence/checkpoint/checkpoint-fold.ts';
import { ByteWriter } from '../../src/persistence/codec/byte-writer.ts';
import { GENESIS, type LogReader } from '../../src/persistence/journal/frame-log.ts';
import { encodeFrame, frameHash } from '../../src/persistence/journal/journal-frame.ts';
import { readFileList } from '../../src/persistence/store/file-list.ts';
import { processorMicros } from './look-ups.ts';

/** As many as a fold writes to one file. */
export const FILE_FACTS = 50_000;
const FRAME_FACTS = 250;

/** Frames that aren't folded yet, each with the position of its last fact. */
class MemoryLog implements LogReader {
  frames: { readonly through: number; readonly frame: Buffer }[] = [];
  *read(position: number): IterableIterator<Buffer> {
    for (const { through, frame } of this.frames) if (through > position) yield frame;
  }
  async close(): Promise<void> {}
}

export class MemoryFold {
  readonly #store: string;
  readonly #log = new MemoryLog();
  readonly #fold: CheckpointFold;
  readonly #scratch = new ByteWriter();
  #head = GENESIS;
  foldMicros = 0;
  mergeMicros = 0;
  longestPartMs = 0;

  /** `folder` is empty. */
  constructor(folder: string) {
    createCheckpoint(folder);
    this.#store = checkpointIn(folder);
    this.#fold = new CheckpointFold(this.#store, this.#log);
  }

  /** Folds `count` facts, and merges what is due then. */
  take(count: number, make: (index: number) => Fact): void {
    for (let made = 0; made < count; made += FRAME_FACTS) {
      const length = Math.min(FRAME_FACTS, count - made);
      this.#append(Array.from({ length }, (_, index) => make(made + index)));
    }
    const began = processorMicros();
    this.#fold.foldThrough(this.#head.position);
    const folded = processorMicros();
    this.#log.frames = [];
    this.#merge();
    this.foldMicros += folded - began;
    this.mergeMicros += processorMicros() - folded;
  }

  get files(): { readonly count: number; readonly bytes: number } {
    const { files } = readFileList(this.#store);
    return { count: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
  }

  close(): Promise<void> {
    return this.#fold.close();
  }

  #append(facts: readonly Fact[]): void {
    const { position, hash } = this.#head;
    const frame = encodeFrame(this.#scratch, position + 1, facts, hash);
    this.#head = { position: position + facts.length, hash: frameHash(frame) };
    this.#log.frames.push({ through: this.#head.position, frame });
  }

  #merge(): void {
    for (;;) {
      const beganMs = performance.now();
      if (!this.#fold.mergePart()) return;
      this.longestPartMs = Math.max(this.longestPartMs, performance.now() - beganMs);
    }
  }
}
