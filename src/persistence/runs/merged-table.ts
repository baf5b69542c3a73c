/** Merges of a table's run files: which are due to become one, and how their rows are written to it. */
import { TableFilter } from '../store/table-filter.ts';
import { MergeCursor } from './run-cursor.ts';
import type { RunFile } from './run-file.ts';
import type { ListedRun, RunList } from './run-list.ts';
import type { RunWriter } from './run-writer.ts';
import type { TieredTable } from './tiered-table.ts';

/** So many runs of about one size become one. */
const RUNS_PER_MERGE = 4;

export interface CopyOptions {
  /** No other run of the table is older, so tombstones need not be kept. */
  readonly isOldest: boolean;
  /** About so much is read between two parts. */
  readonly stepBytes: number;
}

/** Writes the rows of files, the oldest first, in parts. Gives a filter of the hashes in it, where the table has hashes. */
export function* copyRows(
  { hashOf }: TieredTable,
  files: readonly RunFile[],
  writer: RunWriter,
  { isOldest, stepBytes }: CopyOptions,
): Generator<undefined, TableFilter | undefined> {
  const filter = hashOf && TableFilter.of(files.reduce((sum, { rows }) => sum + rows, 0));
  let bytes = 0;
  const merge = new MergeCursor(files.toReversed());
  for (let row = merge.next(); row !== undefined; row = merge.next()) {
    const valueLength = row.valueEnd - row.valueStart;
    if (valueLength > 0 || !isOldest) {
      writer.addRaw(row);
      filter?.add(hashOf?.(row.key) ?? 0);
    }
    bytes += row.keyLength + valueLength;
    if (bytes < stepBytes) continue;
    yield;
    bytes = 0;
  }
  return filter;
}

/**
 * Runs of a table that are due to become one, the oldest first: its youngest ones, when they are enough and the oldest of
 * them is not larger than half of the others together. So there are few, and a row is written again a few times at most.
 */
export function dueOf(runs: RunList['runs'], name: string): readonly ListedRun[] {
  const own = runs.filter(({ table }) => table === name);
  let younger = 0;
  for (let first = own.length - 1; first >= 0; first -= 1) {
    const { bytes } = own[first] as ListedRun;
    if (own.length - first >= RUNS_PER_MERGE && bytes <= younger / 2) return own.slice(first);
    younger += bytes;
  }
  return [];
}
