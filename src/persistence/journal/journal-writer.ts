/** The engine's journal: a group of facts becomes one frame, which is appended to the log. */
import type { Fact } from '../../engine/fact.ts';
import type { Journal } from '../../engine/journal.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import type { FrameLog } from './frame-log.ts';
import { encodeFrame } from './journal-frame.ts';

export class JournalWriter implements Journal {
  readonly #log: FrameLog;
  readonly #scratch = new ByteWriter();

  constructor(log: FrameLog) {
    this.#log = log;
  }

  async append(firstSequence: number, facts: readonly Fact[]): Promise<void> {
    await this.#log.append(encodeFrame(this.#scratch, firstSequence, facts, this.#log.head.hash));
  }
}
