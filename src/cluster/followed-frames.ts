/**
 * Frames that another node has written: they go into the folder's own log as they are, and give their facts.
 *
 * Invariant: the folder's log is a beginning of the shared one, byte by byte. A frame that it has already is compared
 * and passed over, because entries may come again; one that doesn't continue it is refused. Frames that come together
 * are all proved before the first is written.
 *
 * They come together because a commit takes as long for one as for many: a node that is behind would catch up no faster
 * than its disk syncs, and the leader writes nearly as many frames.
 */
import type { Fact } from '../engine/fact.ts';
import { DamagedDataError } from '../persistence/codec/byte-reader.ts';
import { FrameChain } from '../persistence/journal/frame-chain.ts';
import type { FolderLog } from '../persistence/journal/frame-log.ts';
import { decodeFacts, extentOf, readHead } from '../persistence/journal/journal-frame.ts';
import { ClusterError } from './cluster-error.ts';

export class FollowedFrames {
  readonly #local: FolderLog;

  /** `local`: the folder's own, to which nobody else writes. */
  constructor(local: FolderLog) {
    this.#local = local;
  }

  /**
   * The facts of each frame that is new here, once all are durable. Rejects with `lost` when the folder has others in their
   * place, and as `FolderLog.append` does; nothing is taken then, and frames without room may come again.
   */
  async take(frames: readonly Buffer[]): Promise<(readonly Fact[])[]> {
    const { head } = this.#local;
    const chain = new FrameChain(head);
    const added: Buffer[] = [];
    const groups: (readonly Fact[])[] = [];
    for (const frame of frames) {
      const { first, last } = extentOf(frame);
      if (last <= head.position) {
        this.#expectSame(frame, first);
        continue;
      }
      prove(chain, frame, first);
      groups.push(factsOf(frame, first));
      added.push(frame);
    }
    if (added.length > 0) await this.#local.append(...added);
    return groups;
  }

  /** Throws `lost` when the folder has more than the log, whose newest frame this is, or another one in its place. */
  expectEnd(newest: Buffer): void {
    const { first, last } = extentOf(newest);
    const { position } = this.#local.head;
    if (position > last) {
      throw new ClusterError(
        `PostgreSQL has lost entries of the log: this folder has facts up to ${position}, and the log ends with fact ${last}`,
        'lost',
      );
    }
    if (position === last) this.#expectSame(newest, first);
  }

  #expectSame(frame: Buffer, first: number): void {
    for (const mine of this.#local.read(first - 1)) {
      // Old frames may be gone.
      if (extentOf(mine).first > first || mine.equals(frame)) return;
      break;
    }
    throw new ClusterError(`the log has other facts at ${first} than this folder`, 'lost');
  }
}

function prove(chain: FrameChain, frame: Buffer, first: number): void {
  try {
    chain.add(frame);
  } catch (error) {
    if (!(error instanceof DamagedDataError)) throw error;
    throw new ClusterError(
      `the log does not continue this folder at fact ${first}: ${error.message}`,
      'lost',
      { cause: error },
    );
  }
}

/** Before the folder has the frame: it could not be started again with facts that it can't read. */
function factsOf(frame: Buffer, first: number): readonly Fact[] {
  try {
    return decodeFacts(frame, readHead(frame));
  } catch (error) {
    if (!(error instanceof DamagedDataError)) throw error;
    throw new ClusterError(
      `the log has facts at ${first} which this version can't read: upgrade this node (${error.message})`,
      'ended',
      { cause: error },
    );
  }
}
