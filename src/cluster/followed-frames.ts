/**
 * Frames that another node has written: each goes into the folder's own log as it is, and gives its facts.
 *
 * What always holds: the folder's log is a beginning of the shared one, byte by byte. A frame that it has already is
 * compared and passed over, because entries may come again; one that doesn't continue it is refused.
 */
import type { Fact } from '../engine/fact.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { FrameChain } from '../persistence/journal/frame-chain.ts';
import type { FrameLog } from '../persistence/journal/frame-log.ts';
import { decodeFacts, extentOf, readHead } from '../persistence/journal/journal-frame.ts';
import { LostLogError } from './log-follower.ts';
import { EndedHereError } from './shared-table.ts';

export class FollowedFrames {
  readonly #local: FrameLog;
  readonly #chain: FrameChain;

  /** `local`: the folder's own, to which nobody else writes. */
  constructor(local: FrameLog) {
    this.#local = local;
    this.#chain = new FrameChain(local.head);
  }

  /**
   * The frame's facts, once it is durable here; undefined when it was there before. Rejects with `LostLogError` when the
   * folder has others in their place, and as `FrameLog.append` does; a frame without room may come again.
   */
  async take(frame: Buffer): Promise<readonly Fact[] | undefined> {
    const { first, last } = extentOf(frame);
    const { position } = this.#local.head;
    if (last <= position) {
      this.#expectSame(frame, first);
      return undefined;
    }
    if (this.#chain.head.position === position) this.#prove(frame, first);
    const facts = factsOf(frame, first);
    await this.#local.append(frame);
    return facts;
  }

  /** Throws `LostLogError` when the folder has more than the log, whose newest frame this is, or another one in its place. */
  expectEnd(newest: Buffer): void {
    const { first, last } = extentOf(newest);
    const { position } = this.#local.head;
    if (position > last) {
      throw new LostLogError(
        `PostgreSQL has lost entries of the log: this folder has facts up to ${position}, and the log ends with fact ${last}`,
      );
    }
    if (position === last) this.#expectSame(newest, first);
  }

  #prove(frame: Buffer, first: number): void {
    try {
      this.#chain.add(frame);
    } catch (error) {
      if (!(error instanceof DamagedDataError)) throw error;
      throw new LostLogError(`the log does not continue this folder at fact ${first}: ${error.message}`, {
        cause: error,
      });
    }
  }

  #expectSame(frame: Buffer, first: number): void {
    for (const mine of this.#local.read(first - 1)) {
      // Old frames may be gone.
      if (extentOf(mine).first > first || mine.equals(frame)) return;
      break;
    }
    throw new LostLogError(`the log has other facts at ${first} than this folder`);
  }
}

/** Before the folder has the frame: it could not be started again with facts that it can't read. */
function factsOf(frame: Buffer, first: number): readonly Fact[] {
  try {
    return decodeFacts(frame, readHead(frame));
  } catch (error) {
    if (!(error instanceof DamagedDataError)) throw error;
    throw new EndedHereError(
      `the log has facts at ${first} which this version can't read: upgrade this node (${error.message})`,
      { cause: error },
    );
  }
}
