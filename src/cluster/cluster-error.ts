/**
 * The error of a cluster. `fenced`: another node leads, or PostgreSQL does not keep what is written; this node must not
 * write, nor answer, any more. `lost`: the shared log lacks entries that this node has taken, or has others in their
 * place. `ended`: the log goes on, but not here, because it was trimmed while this node was away, the cluster was
 * dissolved, or a newer version writes what this one can't read. `unreachable`: the log can't be reached, or does not
 * answer, and nothing was changed; the message says which hosts, and why. `unknown`: whether what was asked for has
 * happened isn't known, because the connection broke, or nobody waited for the quorum. `refused`: a command can't be
 * done; the message is one line with the reason and the next step.
 */
export type ClusterReason = 'fenced' | 'lost' | 'ended' | 'unreachable' | 'unknown' | 'refused';

export class ClusterError extends Error {
  override readonly name = 'ClusterError';
  readonly reason: ClusterReason;

  constructor(message: string, reason: ClusterReason = 'refused', options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  static is(error: unknown, ...reasons: readonly ClusterReason[]): error is ClusterError {
    return error instanceof ClusterError && reasons.includes(error.reason);
  }
}
