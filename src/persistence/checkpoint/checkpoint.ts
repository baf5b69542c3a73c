/**
 * The checkpoint: what the journal was folded into, in the folder `checkpoint/` (`../store/`).
 *
 * Invariant: it is derived. All its rows reflect the position that its list names, and follow from the facts up to there;
 * so it needs neither a log nor transactions, and `purser verify` makes it again to compare.
 */
import { join } from 'node:path';
import type { Account } from '../../engine/accounts.ts';
import { State } from '../../engine/state.ts';
import { decodeJson, encodeJson } from '../codec/sealed-row.ts';
import { GENESIS, type LogHead } from '../journal/frame-log.ts';
import { createStore } from '../store/file-list.ts';
import { StoreReader } from '../store/store-reader.ts';
import type { StoreTable } from '../store/store-table.ts';
import { readAccountRow, writeAccountRow } from './account-row.ts';
import type { RowBatches } from './row-batches.ts';
import { loadRows, metaOf, type StateMeta, takeChanged } from './state-rows.ts';
import { TABLES } from './tables.ts';

export const CHECKPOINT_FOLDER = 'checkpoint';

/** Where the one row of `meta` is. */
const META = 0;

export function checkpointIn(folder: string): string {
  return join(folder, CHECKPOINT_FOLDER);
}

/** Makes the checkpoint of a journal without facts, unless there is one. */
export function createCheckpoint(folder: string): void {
  createStore(checkpointIn(folder));
}

/** Throws `DamagedFileError`. */
export function openCheckpoint(folder: string): StoreReader {
  return new StoreReader(checkpointIn(folder));
}

/** The last fact that all rows reflect. */
export function checkpointHead(store: StoreReader): LogHead {
  const { position, journalHash } = store.list;
  return position === 0 ? GENESIS : { position, hash: Buffer.from(journalHash, 'hex') };
}

/** The time of the last fact, Unix milliseconds; 0 when there is none. */
export function lastAtMsOf(store: StoreReader): number {
  return metaIn(store)?.lastAtMs ?? 0;
}

/** The state as of the checkpoint, without history. Throws `DamagedDataError` and `DamagedFileError`. */
export function loadState(store: StoreReader): State {
  const state = new State();
  const meta = metaIn(store);
  if (meta !== undefined) loadRows(state, meta, (table) => rowsOf(store, TABLES[table]));
  return state;
}

/** Rows of the state that facts have changed; `endedBefore`: positions of those that had ended at the last fold. */
export function takeState(rows: RowBatches, state: State, endedBefore: readonly number[]): void {
  takeChanged(state, (name, id, row) => {
    const batch = rows.of(TABLES[name]);
    if (row !== undefined && name === 'accounts') writeAccountRow(batch.values, row as Account);
    else if (row !== undefined) batch.values.bytes(encodeJson(row));
    batch.add(id, 0, row === undefined);
  });
  const before = new Set(endedBefore);
  for (const row of state.endedSupplierPurchases.values())
    if (!before.delete(row.position)) rows.put(TABLES.ended, row.position, 0, row);
  // The state has forgotten these.
  for (const position of before) rows.of(TABLES.ended).add(position, 0, true);
  rows.put(TABLES.meta, META, 0, metaOf(state));
}

function metaIn(store: StoreReader): StateMeta | undefined {
  return store.get(TABLES.meta, META, 0, decodeJson<StateMeta>);
}

function* rowsOf<Row>(store: StoreReader, table: StoreTable): IterableIterator<Row> {
  const isAccount = table === TABLES.accounts;
  for (const { a, value } of store.range(table, { fromA: 0, toA: Number.MAX_SAFE_INTEGER }))
    yield isAccount ? (readAccountRow(a, value) as Row) : decodeJson<Row>(value);
}
