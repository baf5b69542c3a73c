/**
 * `webhooks.mdb`: events of the journal for webhooks, and how their delivery goes.
 *
 * - `meta`: how far the journal has been read, the open group and how long groups last, and counters.
 * - `subscribers`: account ▸ its webhook and concurrency. `looks`: product ▸ what buyers see of it.
 * - `pricing`: kind and ids ▸ percents of lists, prices of lists and accounts, and lists of accounts.
 * - `pricingBefore`: kind, ids and number ▸ what an account's list, or whether there was a price, was until then.
 * - `events`: account and number ▸ the event. `groups`: kind, id and number ▸ groups of products (`groups/`).
 * - `queues`: account ▸ where its first attempts stand, and which events were cancelled.
 * - `due`: account, time and number, of events that are to be attempted again.
 * - `attempts`: account, number and attempt ▸ what became of it, from the second one on.
 *
 * Invariant: all that a batch changes, the cursor included, is one transaction. Every row ends with a checksum over key
 * and value.
 */
import { join } from 'node:path';
import { seal, unseal } from '../codec/sealed-row.ts';
import { type Environment, type LmdbTable, openEnvironment } from '../lmdb/lmdb-environment.ts';
import { encodeRowChanges, type RowChange } from '../shipping/row-changes.ts';

export const OUTBOX_FILE = 'webhooks.mdb';
/** The tables of the file, by name. */
export const OUTBOX_TABLES = [
  'meta',
  'subscribers',
  'looks',
  'pricing',
  'pricingBefore',
  'events',
  'groups',
  'queues',
  'due',
  'attempts',
] as const;
export type OutboxTable = (typeof OUTBOX_TABLES)[number];

export interface OutboxFile {
  readonly environment: Environment;
  readonly tables: Readonly<Record<OutboxTable, LmdbTable>>;
}

export function openOutboxFile(folder: string): OutboxFile {
  const environment = openEnvironment(join(folder, OUTBOX_FILE));
  const tables = Object.fromEntries(OUTBOX_TABLES.map((name) => [name, environment.table(name)]));
  return { environment, tables: tables as Record<OutboxTable, LmdbTable> };
}

/** The row's payload, or undefined. Throws `DamagedDataError`. */
export function readRow(file: OutboxFile, table: OutboxTable, key: Buffer): Buffer | undefined {
  const row = file.tables[table].get(key);
  return row === undefined ? undefined : unseal(table, key, row);
}

/** Rows from `start` up to and without `end`. Throws `DamagedDataError`. */
export function* readRows(
  file: OutboxFile,
  table: OutboxTable,
  range: { start?: Buffer; end?: Buffer; limit?: number; reverse?: boolean } = {},
): IterableIterator<{ readonly key: Buffer; readonly payload: Buffer }> {
  for (const { key, value } of file.tables[table].getRange(range)) {
    yield { key, payload: unseal(table, key, value) };
  }
}

interface Write extends RowChange {
  readonly table: OutboxTable;
}

/** LMDB writes a page anew for a row that changes, and splits it when the row doesn't fit. */
const ROOM_FOR_ROW_BYTES = 2 * 4_096;
/** For what a transaction writes besides: the pages above those of the rows, and the list of free ones. */
const ROOM_BYTES = 8 * 1_024 * 1_024;

/** The most room that the disk must have free for these changes. */
export function roomOf(changes: readonly RowChange[]): number {
  return changes.reduce((sum, { row }) => sum + ROOM_FOR_ROW_BYTES + (row?.length ?? 0), ROOM_BYTES);
}

/** Rows that are written together. A failed write can be tried again: it depends on nothing it reads. */
export class OutboxBatch {
  readonly #writes: Write[] = [];
  #payloadBytes = 0;

  /** The most room that the disk must have free for the batch. */
  get roomBytes(): number {
    return ROOM_BYTES + this.size * ROOM_FOR_ROW_BYTES + this.#payloadBytes;
  }

  get size(): number {
    return this.#writes.length;
  }

  /** Key and payload may be used for something else afterwards. */
  put(table: OutboxTable, key: Buffer, payload: Uint8Array): void {
    this.#writes.push({ table, key, row: seal(key, payload) });
    this.#payloadBytes += payload.length;
  }

  remove(table: OutboxTable, key: Buffer): void {
    this.#writes.push({ table, key, row: null });
  }

  /** For the folders of other nodes. */
  parts(): Buffer[] {
    return encodeRowChanges(this.#writes);
  }

  /** Inside a transaction. */
  write(file: OutboxFile): void {
    for (const { table, key, row } of this.#writes) {
      if (row === null) file.tables[table].removeSync(key);
      else file.tables[table].putSync(key, row);
    }
  }
}
