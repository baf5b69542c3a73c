/** A table for a compaction: how the rows of its files are written to one, and which files are due to be. */
import { FilterLayer } from '../../engine/recent/filter-layer.ts';
import type { Transact } from '../lmdb/lmdb-table.ts';
import { MergeCursor } from './run-cursor.ts';
import type { RunFile } from './run-file.ts';
import type { ListedRun, RunList } from './run-list.ts';
import type { RunWriter } from './run-writer.ts';
import type { HashOf, TieredTable } from './tiered-table.ts';

/** So many runs of about one size become one. */
const RUNS_PER_MERGE = 4;

export interface MergedTable {
  readonly name: string;
  /** No run gets larger by a merge. */
  readonly maxBytes: number;
  /** See `TieredTable`; default: false. */
  readonly isPacked?: boolean;
  readonly copy: Copy;
}

/** A table whose runs are merged otherwise than by keys: hashes of keys. */
export interface HashedTable extends MergedTable {
  /** Whether the rows in the database are to become a run file. */
  readonly isFull: boolean;
  /** Bytes that this file takes, about. */
  readonly bytes: number;
  /** Writes the rows in the database to a run file. */
  move(writer: RunWriter): FilterLayer;
  /** Called in the transaction with which the file is in the list: the database has none of its keys any more. */
  leave(): void;
  /** Called after that transaction: removes what it left. */
  clear(transact: Transact): void;
}

/** Writes the rows of files, the oldest first, in parts. Gives a filter of the hashes in it, where there are any. */
export type Copy = (
  files: readonly RunFile[],
  writer: RunWriter,
  options: CopyOptions,
) => Generator<undefined, FilterLayer | undefined>;

export interface CopyOptions {
  /** No other run of the table is older, so tombstones need not be kept. */
  readonly isOldest: boolean;
  /** About so much is read between two parts. */
  readonly stepBytes: number;
}

export function filterOf(hashes: readonly number[]): FilterLayer {
  const filter = FilterLayer.of(hashes.length);
  for (const hash of hashes) filter.add(hash);
  return filter;
}

export function mergedByKeys({ name, hashOf, isPacked }: TieredTable): MergedTable {
  return { name, isPacked, maxBytes: Number.POSITIVE_INFINITY, copy: copyRows(hashOf) };
}

function copyRows(hashOf: HashOf | undefined): Copy {
  return function* (files, writer, { isOldest, stepBytes }) {
    const filter = hashOf && FilterLayer.of(files.reduce((sum, { rows }) => sum + rows, 0));
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
  };
}

/**
 * Runs of a table that are due to become one, the oldest first: its youngest ones, when they are enough and the oldest of
 * them is not larger than half of the others together. So there are few, and a row is written again a few times at most.
 */
export function dueOf(runs: RunList['runs'], name: string, maxBytes: number): readonly ListedRun[] {
  const own = runs.filter(({ table }) => table === name);
  let younger = 0;
  for (let first = own.length - 1; first >= 0; first -= 1) {
    const { bytes } = own[first] as ListedRun;
    if (bytes + younger > maxBytes) break;
    if (own.length - first >= RUNS_PER_MERGE && bytes <= younger / 2) return own.slice(first);
    younger += bytes;
  }
  return [];
}
