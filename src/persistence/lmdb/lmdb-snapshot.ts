/**
 * A file as it is at one moment, to be read later and for as long as it takes, while others write to it.
 *
 * Pages that writers free meanwhile are not used again until the snapshot is closed, so the file may grow: a snapshot
 * is closed as soon as possible. A file that is opened anew after a failed write (`lmdb-renewal.ts`) takes its
 * snapshots with it: reading on throws.
 */
import type { Environment } from './lmdb-environment.ts';
import type { Table, TableEntry } from './lmdb-table.ts';

export class LmdbSnapshot {
  readonly #environment: Environment;
  readonly #tables: ReadonlyMap<string, Table>;
  readonly #held: ReturnType<Environment['hold']>;

  /** The snapshot of an open file, which this closes in the end. */
  constructor(environment: Environment, tables: readonly string[]) {
    this.#environment = environment;
    // One that is opened later is unknown to what was held before.
    this.#tables = new Map(tables.map((name) => [name, environment.table(name)]));
    this.#held = environment.hold();
  }

  /** Each table's rows in the order of their keys. Key and value are valid until the next are asked for. */
  *tables(): IterableIterator<{ readonly name: string; readonly rows: Iterable<TableEntry> }> {
    for (const [name, table] of this.#tables)
      yield { name, rows: table.getRange({ transaction: this.#held }) };
  }

  /** One row. */
  get(table: string, key: Buffer): Buffer | undefined {
    return this.#tables.get(table)?.get(key, { transaction: this.#held });
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}
