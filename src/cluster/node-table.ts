/**
 * The nodes of a cluster as they see each other: a row each, renewed every second. It is for people and for trimming;
 * nothing that must hold depends on it, so its commits wait for no quorum.
 */

export interface NodeRow {
  readonly node: string;
  /** The buyers' origin. */
  readonly url: string;
  /** The last entry of the log that the node has. */
  readonly applied: number;
}

export interface SeenNode extends NodeRow {
  /** It has renewed its row within the last seconds. */
  readonly isFresh: boolean;
}

/** All calls reject with `LogUnreachableError`. */
export interface NodeTable {
  /** Renews this node's row. Gives the term that somebody has asked this node to end; 0 when nobody has. */
  renew(row: NodeRow): Promise<number>;
  /** By their names. */
  list(): Promise<readonly SeenNode[]>;
  /** Asks the node that leads in `term` to end that. */
  askToEnd(node: string, term: number): Promise<void>;
  close(): Promise<void>;
}
