/** Time as the cluster's parts know it, so that the simulation can have its own. */
import { monotonicMs } from '../threads/lease.ts';

export interface ClusterClock {
  /** Monotonic, the same in every thread of a machine. */
  nowMs(): number;
  /** Calls `run` after some milliseconds; the answer cancels it. */
  later(run: () => void, ms: number): () => void;
}

export const realClock: ClusterClock = {
  nowMs: monotonicMs,
  later: (run, ms) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export function sleep(clock: ClusterClock, ms: number): Promise<void> {
  return new Promise((resolve) => clock.later(resolve, ms));
}
