/** A checkpoint with other rows than its facts give. */
import { rmSync } from 'node:fs';
import { checkpointIn, openCheckpoint } from '../../src/persistence/checkpoint/checkpoint.ts';
import { RowBatches } from '../../src/persistence/checkpoint/row-batches.ts';
import { ALL_TABLES, TABLES } from '../../src/persistence/checkpoint/tables.ts';
import { createStore } from '../../src/persistence/store/file-list.ts';
import { StoreFiles } from '../../src/persistence/store/store-files.ts';
import type { StoreTable } from '../../src/persistence/store/store-table.ts';

export interface CheckpointRow {
  readonly table: keyof typeof TABLES;
  readonly a: number;
  readonly b: number;
  readonly value: Buffer;
}

/** All rows of a folder's checkpoint. */
export function rowsOfCheckpoint(folder: string): CheckpointRow[] {
  const reader = openCheckpoint(folder);
  const rows: CheckpointRow[] = [];
  for (const [name, table] of Object.entries<StoreTable>(TABLES)) {
    for (const { a, b, value } of reader.range(table, { fromA: 0, toA: Number.MAX_SAFE_INTEGER }))
      rows.push({ table: name as keyof typeof TABLES, a, b, value: Buffer.from(value) });
  }
  reader.close();
  return rows;
}

/** Makes the checkpoint anew, of these rows, at the position where it was. */
export function rewriteCheckpoint(folder: string, rows: readonly CheckpointRow[]): void {
  const reader = openCheckpoint(folder);
  const { position, journalHash } = reader.list;
  reader.close();
  const store = checkpointIn(folder);
  rmSync(store, { recursive: true });
  createStore(store);
  const batches = new RowBatches();
  for (const { table, a, b, value } of rows) {
    const batch = batches.of(TABLES[table]);
    batch.values.bytes(value);
    batch.add(a, b);
  }
  new StoreFiles(store, ALL_TABLES).add({ position, journalHash }, batches);
}

/** Rewrites it with another value of a row; without a value the row is gone. */
export function changeRow(folder: string, change: Omit<CheckpointRow, 'value'> & { value?: Buffer }): void {
  const { table, a, b, value } = change;
  const others = rowsOfCheckpoint(folder).filter((row) => row.table !== table || row.a !== a || row.b !== b);
  rewriteCheckpoint(folder, value === undefined ? others : [...others, { table, a, b, value }]);
}
