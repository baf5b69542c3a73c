/** The rows that a fold collects, a batch a table, until it writes them. */
import { encodeJson } from '../codec/sealed-row.ts';
import { RowBatch } from '../store/row-batch.ts';
import type { StoreRows } from '../store/store-files.ts';
import type { StoreTable } from '../store/store-table.ts';
import type { TableWriter } from '../store/table-writer.ts';
import { ALL_TABLES } from './tables.ts';

export class RowBatches implements StoreRows {
  readonly #batches = ALL_TABLES.map((table) => new RowBatch(table));
  readonly #byNumber: RowBatch[] = [];

  constructor() {
    for (const batch of this.#batches) this.#byNumber[batch.table.number] = batch;
  }

  of(table: StoreTable): RowBatch {
    return this.#byNumber[table.number] as RowBatch;
  }

  put(table: StoreTable, a: number, b: number, row: object): void {
    const batch = this.of(table);
    batch.values.bytes(encodeJson(row));
    batch.add(a, b);
  }

  /** Another fact may be too much for one of them: they must be written before. */
  get areFull(): boolean {
    return this.#batches.some((batch) => batch.isFull);
  }

  /** Writes all rows, which are then forgotten. */
  write(writer: TableWriter): void {
    for (const batch of this.#batches) batch.write(writer);
  }
}
