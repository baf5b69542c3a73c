/** The engine's journal: a group of facts becomes one frame, which is appended to the log. Measures how groups go. */
import type { Fact } from '../../engine/fact.ts';
import type { Journal } from '../../engine/loop/journal.ts';
import { Histogram } from '../../metrics/histogram.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import type { FrameLog } from './frame-log.ts';
import { encodeFrame } from './journal-frame.ts';

const SYNC_BOUNDS_MS = [0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000];
/** Bounds up to the greatest group. */
const GROUP_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

export class JournalWriter implements Journal {
  readonly #log: FrameLog;
  readonly #scratch = new ByteWriter();
  /** The time until a group is on disk and the main thread knows, in milliseconds. */
  readonly syncTime = new Histogram(SYNC_BOUNDS_MS);
  /** The sizes of groups, in facts. */
  readonly groupSize = new Histogram(GROUP_BOUNDS);
  /** The time at which the group under way began, `performance.now()`; undefined when there is none. */
  #beganMs: number | undefined;

  constructor(log: FrameLog) {
    this.#log = log;
  }

  /** For how long the group under way has waited for the disk; 0 when there is none. */
  get waitingMs(): number {
    return this.#beganMs === undefined ? 0 : performance.now() - this.#beganMs;
  }

  async append(firstSequence: number, facts: readonly Fact[]): Promise<void> {
    const frame = encodeFrame(this.#scratch, firstSequence, facts, this.#log.head.hash);
    const beganMs = performance.now();
    this.#beganMs = beganMs;
    try {
      await this.#log.append(frame);
    } finally {
      this.#beganMs = undefined;
    }
    this.syncTime.add(performance.now() - beganMs);
    this.groupSize.add(facts.length);
  }
}
