/**
 * The time in which a node of a cluster follows: the folder with its state, kept up with the log, and nothing that
 * acts. The time ends when this node has begun a term of its own.
 */

import type { FolderParts, NodeOptions } from '../../node/data-folder.ts';
import type { SharedJournal } from '../../node/engine.ts';
import { openStateParts, type StateParts } from '../../node/state.ts';
import type { FolderLog } from '../../persistence/journal/frame-log.ts';
import { OutboxRows } from '../../persistence/webhooks/followed-outbox.ts';
import { realClock, sleep } from '../cluster-clock.ts';
import { EntryTaker } from '../entry-taker.ts';
import { FollowedFrames } from '../followed-frames.ts';
import { type Begun, LogFollower, type Place } from '../log-follower.ts';
import { ReplicatedLog } from '../replicated-log.ts';
import type { ClusterParts } from './shared-log.ts';

const TRY_AGAIN_MS = 100;

export class Following {
  readonly state: StateParts;
  /** The node's journal, which `Leading` takes over. */
  readonly journal: ReplicatedLog;
  readonly follower: LogFollower;
  readonly #cluster: ClusterParts;
  readonly #taker: EntryTaker;
  readonly #outbox: OutboxRows;

  /** `onMirrored`: the folder has the facts up to this one, once this node leads. */
  constructor(
    options: NodeOptions,
    folder: FolderParts,
    cluster: ClusterParts,
    onMirrored: (position: number) => void,
  ) {
    const { log, onFatal } = options;
    const opened: { local?: FolderLog; journal?: ReplicatedLog } = {};
    const shared: SharedJournal = {
      over: (local) => {
        opened.local = local;
        opened.journal = new ReplicatedLog({ local, onMirrored, onFatal });
        return opened.journal;
      },
      whenReadable: async (position) => await opened.journal?.mirroredThrough(position),
    };
    this.state = openStateParts(options, folder, shared);
    const { local, journal } = opened;
    if (local === undefined || journal === undefined) throw new Error('the engine opened no journal');
    this.journal = journal;
    const { told, feed } = this.state;
    told.durable = (position, facts) => {
      feed.advance(position);
      for (const fact of facts) if (fact.kind === 'ProductFileSet') folder.files.want(fact.file.fileId);
    };
    folder.files.want();
    this.#cluster = cluster;
    this.#outbox = OutboxRows.open(folder.folder);
    const frames = new FollowedFrames(local);
    this.#taker = new EntryTaker({
      from: cluster.file,
      engine: this.state.engine,
      frames,
      texts: (bytes) => folder.stock.applyRows(bytes),
      outbox: (parts) => this.#outbox.apply(parts),
      keys: (text) => {
        if (folder.ring.adopt(text)) return;
        log.error('the master key was changed at another node: start this one again with the new one');
      },
      onFull: () => log.error('the disk is full: the log is followed again once space is free'),
    });
    this.follower = new LogFollower({
      table: cluster.table,
      from: cluster.file,
      take: this.#taker.take,
      compare: (newest) => newest && frames.expectEnd(newest),
      clock: realClock,
      onUnreachable: (error) =>
        log.warn({ reason: error.message }, 'the log is not followed: it is tried again'),
    });
  }

  /** The last place up to which the folder has everything. */
  get place(): Place {
    return this.#taker.place;
  }

  /** Follows until this node has begun a term; undefined when `signal` says stop. Rejects as `LogFollower.follow` does. */
  async untilLeading(signal: AbortSignal): Promise<Begun | undefined> {
    const { follower } = this;
    while (!signal.aborted) {
      await follower.follow(signal);
      if (signal.aborted) break;
      const begun = await follower.lead(this.#cluster.itself);
      if (begun !== undefined) {
        await this.#outbox.close();
        return begun;
      }
      await sleep(realClock, TRY_AGAIN_MS);
    }
    return undefined;
  }
}
