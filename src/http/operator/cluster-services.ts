/** What the routes of the cluster use, and the node's status. */
import type { Leader } from '../errors.ts';

/** As this node knows it. */
export interface ClusterStatus {
  readonly node: string;
  readonly role: 'leader' | 'follower';
  readonly term: number;
  /** The last entry of the log that this node has. */
  readonly applied: number;
  /** The last that it knows confirmed. */
  readonly confirmed: number;
  readonly leader: Leader | null;
}

export interface ClusterMember extends Leader {
  readonly applied: number;
}

export interface ClusterServices {
  readonly status: ClusterStatus;
  /** Whether it may answer buyers now. */
  readonly isLeading: boolean;
  /** By their names. Rejects with an error whose message is for people when the log can't be reached. */
  members(): Promise<readonly ClusterMember[]>;
  /** Has the leader stop. Resolves with why it can't be, as a sentence; undefined when it was asked. Rejects likewise. */
  handOver(reason: string | undefined): Promise<string | undefined>;
}
