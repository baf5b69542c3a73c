/**
 * Writes the log of a folder that nobody uses yet, from its first frame on: many frames a commit, in segments of the
 * usual size. Files that a crash leaves are of no use, so the folder must have no name yet.
 *
 * Invariant: every frame is proved before it is written (`frame-chain.ts`), so what is built is one chain. Rejected:
 * `LmdbLog`, which makes each frame durable by itself; a million groups would take an hour.
 */
import { FrameChain } from './frame-chain.ts';
import { GENESIS, type LogHead } from './frame-log.ts';
import { extentOf } from './journal-frame.ts';
import { SEGMENT_BYTES } from './lmdb-log.ts';
import { createSegment, LmdbSegment } from './lmdb-segment.ts';
import { rowKey } from './segment-rows.ts';

export class LogBuilder {
  readonly #folder: string;
  readonly #segmentBytes: number;
  readonly #chain = new FrameChain(GENESIS);
  #segment: LmdbSegment;
  #bytesInSegment = 0;

  private constructor(folder: string, segmentBytes: number, segment: LmdbSegment) {
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
    this.#segment = segment;
  }

  /** Use `buildLog`. */
  static async create(
    folder: string,
    firstSequence: number,
    { segmentBytes = SEGMENT_BYTES }: { readonly segmentBytes?: number } = {},
  ): Promise<LogBuilder> {
    return new LogBuilder(folder, segmentBytes, await newSegment(folder, firstSequence));
  }

  get head(): LogHead {
    return this.#chain.head;
  }

  /** Frames that continue the log. Throws `DamagedDataError` when they don't, and what LMDB throws. */
  async append(frames: readonly Buffer[]): Promise<void> {
    let group: Buffer[] = [];
    for (const frame of frames) {
      if (this.#bytesInSegment >= this.#segmentBytes) {
        this.#write(group);
        group = [];
        await this.#startSegment(extentOf(frame).first);
      }
      this.#chain.add(frame);
      group.push(frame);
      this.#bytesInSegment += frame.length;
    }
    this.#write(group);
  }

  async close(): Promise<void> {
    await this.#segment.close();
  }

  #write(group: readonly Buffer[]): void {
    if (group.length === 0) return;
    const { environment, frames } = this.#segment;
    environment.transactionSync(() => {
      for (const frame of group) frames.putSync(rowKey(frame), frame);
    });
  }

  async #startSegment(firstSequence: number): Promise<void> {
    await this.#segment.close();
    this.#segment = await newSegment(this.#folder, firstSequence);
    this.#bytesInSegment = 0;
  }
}

async function newSegment(folder: string, firstSequence: number): Promise<LmdbSegment> {
  await createSegment(folder, firstSequence);
  return new LmdbSegment(folder, firstSequence);
}
