/** The filters of a checkpoint's keys, as a node has them in memory. */
import { TABLES } from '../../src/persistence/checkpoint/tables.ts';
import type { StoreReader } from '../../src/persistence/store/store-reader.ts';

export function loadKeyFilters({ files }: StoreReader): void {
  for (const file of files) for (const _ of file.loadFilter(TABLES.keys));
}

/** All that are loaded. */
export function filterMebibytes({ files }: StoreReader): string {
  return (files.reduce((sum, { filterBytes }) => sum + filterBytes, 0) / 1024 ** 2).toFixed(1);
}
