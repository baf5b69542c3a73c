/**
 * The nodes of a cluster as they see each other: a row each, renewed every second. It is for people and for trimming;
 * nothing that must hold depends on it, so its commits wait for no quorum.
 */
import type { Origin } from '../engine/origin.ts';

export interface NodeRow {
  readonly node: string;
  /** The buyers' origin. */
  readonly url: string;
  /** The last entry of the log that the node has. */
  readonly applied: number;
}

/** What somebody wants of a node that leads. */
export interface AskedToEnd {
  /** The term that it should end; 0 before anybody has asked. */
  readonly term: number;
  /** Who asked, and why. */
  readonly origin: Origin;
}

export interface SeenNode extends NodeRow {
  /** It has renewed its row within the last seconds. */
  readonly isFresh: boolean;
}

/** All calls reject with `LogUnreachableError`. */
export interface NodeTable {
  /** Renews this node's row, and tells what was asked of it last. */
  renew(row: NodeRow): Promise<AskedToEnd>;
  /** By their names. */
  list(): Promise<readonly SeenNode[]>;
  /** Asks the node that leads in `term` to end that. */
  askToEnd(node: string, asked: AskedToEnd): Promise<void>;
  close(): Promise<void>;
}
