/**
 * The state's rows in the store, which are those of the checkpoint (`state-rows.ts`), as JSON.
 */
import { State } from '../../src/engine/state.ts';
import {
  loadRows,
  metaOf,
  type StateMeta,
  takeChanged,
} from '../../src/persistence/checkpoint/state-rows.ts';
import type { FactRows } from './fact-rows.ts';
import type { StoreReader } from './store-reader.ts';
import { STORE, type StoreTable } from './tables.ts';

const META = 0;

/** Rows of what has changed since the fact at `since`. */
export function takeState(rows: FactRows, state: State, since: number): void {
  takeChanged(state, (name, id, row) => rows.putState(STORE[name], id, row));
  for (const row of state.endedSupplierPurchases.values())
    if (row.position > since) rows.putState(STORE.ended, row.position, row);
  rows.putState(STORE.meta, META, metaOf(state));
}

/** The state as of the last fold, without history. Throws `DamagedFileError` and `DamagedDataError`. */
export function loadState(reader: StoreReader): State {
  const state = new State();
  const meta = reader.get(STORE.meta, META, 0, jsonOf<StateMeta>);
  // The state forgets the oldest of what ended by itself.
  if (meta !== undefined) loadRows(state, meta, (table) => rowsOf(reader, STORE[table]));
  return state;
}

function* rowsOf<Row>(reader: StoreReader, table: StoreTable): IterableIterator<Row> {
  for (const { value } of reader.range(table, { fromA: 0, toA: Number.MAX_SAFE_INTEGER }))
    yield jsonOf<Row>(value);
}

function jsonOf<Row>(value: Uint8Array): Row {
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.length).toString()) as Row;
}
