/** The part of the cluster that its routes and the node's status use. */
import type { Origin } from '../../../engine/origin.ts';
import type { Leader } from '../../errors.ts';

/** The cluster as this node knows it. */
export interface ClusterStatus {
  readonly node: string;
  readonly role: 'leader' | 'follower';
  readonly term: number;
  /** The last entry of the log that this node has. */
  readonly applied: number;
  /** The last entry that this node knows confirmed. */
  readonly confirmed: number;
  readonly leader: Leader | null;
}

export interface ClusterMember extends Leader {
  readonly applied: number;
}

/** Entries, by their numbers. */
export interface TrimmedLog {
  readonly first: number;
  readonly last: number;
  readonly removed: number;
  readonly base: number;
}

/** The log can't be asked now, or refuses. The message is for people. */
export class ClusterTroubleError extends Error {
  override readonly name = 'ClusterTroubleError';
}

export interface ClusterServices {
  readonly status: ClusterStatus;
  /** Whether it may answer buyers now. */
  readonly isLeading: boolean;
  /** The members, by their names. Rejects with `ClusterTroubleError`. */
  members(): Promise<readonly ClusterMember[]>;
  /**
   * Removes what no node needs any more from the beginning of the log. Resolves with undefined when that takes longer: then
   * the next call tells. Rejects likewise.
   */
  trim(): Promise<TrimmedLog | undefined>;
  /**
   * Has the leader stop, who records it with this origin. Resolves with why it can't be, as a sentence; undefined when it
   * was asked. Rejects likewise.
   */
  handOver(origin: Origin): Promise<string | undefined>;
}
