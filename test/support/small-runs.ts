/** Old rows become run files after a few dozen purchases, and these are merged all the time. */
import type { CompactionLimits } from '../../src/persistence/runs/compaction.ts';

export const SMALL_RUNS: CompactionLimits = {
  movedBytes: 32 * 1024,
  stepBytes: 4 * 1024,
};
