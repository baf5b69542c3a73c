/**
 * The nodes of a cluster as they see each other: a row each, renewed every second. The table is for people and for
 * trimming; nothing that must hold depends on it, so its commits wait for no quorum.
 */
import type { Origin } from '../engine/origin.ts';

export interface NodeRow {
  readonly node: string;
  /** The buyers' origin. */
  readonly url: string;
  /** The last entry of the log that the node has. */
  readonly applied: number;
}

/** Somebody's request to a node to stop leading. */
export interface AskedToEnd {
  /** The term that it should end; 0 before anybody has asked. */
  readonly term: number;
  /** The operator who asked, and the reason. */
  readonly origin: Origin;
}

export interface SeenNode extends NodeRow {
  /** True when the node has renewed its row within the last seconds. */
  readonly isFresh: boolean;
}

/** All calls reject with `unreachable` (`ClusterError`). */
export interface NodeTable {
  /** Renews this node's row, and tells what was asked of it last. */
  renew(row: NodeRow): Promise<AskedToEnd>;
  /** By their names. */
  list(): Promise<readonly SeenNode[]>;
  /** Asks the node that leads in `term` to end that. */
  askToEnd(node: string, asked: AskedToEnd): Promise<void>;
  close(): Promise<void>;
}
