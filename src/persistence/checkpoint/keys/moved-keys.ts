/** How runs of keys become run files, and these are merged: by hash, with a filter of the hashes that a start loads. */
import { keyLayer } from '../../../engine/recent/key-filter.ts';
import type { Copy, HashedTable } from '../../runs/merged-table.ts';
import { BLOCK_BYTES } from '../../runs/run-format.ts';
import { FileRun } from './key-run.ts';
import type { KeyRuns } from './key-runs.ts';
import { copyKeys, KeyWriter, RunMerge } from './run-merge.ts';

/**
 * How many keys become a run file. With those that one fold adds they are at most 2^18, and four such runs 2^20: the
 * size of a filter is a power of two, and so each key takes four bytes of it, or a little more.
 */
export const MOVED_KEYS = 2 ** 18 - 2 ** 16;
/** Hash, reference, and its part of the filter. */
const BYTES_PER_KEY = 24;
/** 16 million: the filter of a file is in memory while it is written. */
const MAX_RUN_BYTES = 256 * 1024 * 1024;

export function movedKeys(name: string, runs: KeyRuns, movedAt = MOVED_KEYS): HashedTable {
  return {
    name,
    maxBytes: MAX_RUN_BYTES,
    copy: copyHashed,
    get isFull() {
      return runs.count >= movedAt;
    },
    get bytes() {
      return runs.count * BYTES_PER_KEY;
    },
    move(writer) {
      const filter = keyLayer(runs.count);
      copyKeys(runs.all(), KeyWriter.toFile(writer, filter), Number.POSITIVE_INFINITY);
      return filter;
    },
    leave: () => runs.forgetAll(),
    clear: (transact) => runs.merge(transact),
  };
}

const copyHashed: Copy = function* (files, writer, { stepBytes }) {
  const runs = files.map((file) => new FileRun(file));
  const filter = keyLayer(runs.reduce((sum, { keys }) => sum + keys, 0));
  const merge = new RunMerge(runs);
  const keys = KeyWriter.toFile(writer, filter);
  while (!copyKeys(merge, keys, Math.ceil(stepBytes / BLOCK_BYTES))) yield;
  return filter;
};
