/**
 * The checkpoint's file: the second LMDB environment, into which the journal is folded behind the traffic.
 *
 * `meta` names the journal position that all other rows reflect, and is written in the same transaction.
 */
import { join } from 'node:path';
import type { KeyFilter } from '../../engine/recent/key-filter.ts';
import { State } from '../../engine/state.ts';
import type { EndedSupplierPurchase } from '../../engine/supplying/ended-supplier-purchases.ts';
import { numberKey } from '../codec/number-key.ts';
import { decodeJson, encodeJson, readRow, seal, unseal } from '../codec/sealed-row.ts';
import { GENESIS, type LogHead } from '../journal/frame-log.ts';
import { type Environment, type LmdbTable, openEnvironment, type Table } from '../lmdb/lmdb-environment.ts';
import { RunSet } from '../runs/run-set.ts';
import { TieredTable } from '../runs/tiered-table.ts';
import { loadRows, metaOf, type StateMeta, takeChanged } from './state-rows.ts';

export const CHECKPOINT_FILE = 'checkpoint.mdb';
/** How the names of its run files begin. */
export const CHECKPOINT_RUNS = 'checkpoint';
/** The tables of the checkpoint, by name. */
export const CHECKPOINT_TABLES = [
  'meta',
  'accounts',
  'products',
  'orders',
  'keys',
  'refusals',
  // Outcomes by the hash of a reference: of credits, of operators' calls by their keys, and of supplier purchases.
  'credits',
  'suppliers',
  'operators',
  // Those whose end isn't known.
  'supplierPurchases',
  // What became of some lately, by the position of the fact.
  'ended',
  'lots',
  // Debits of recovered orders.
  'waitingDebits',
  // Indexes (`fold-index.ts`).
  'productLots',
  'orderLists',
  'movements',
  'daySums',
  'audit',
  'orderStatuses',
  'recipients',
  'recoveredOrders',
] as const;
const META_KEY = Buffer.from('checkpoint');

/** Tables that grow with the history: older rows of them are in run files. */
const TIERED = [
  'orders',
  'refusals',
  'credits',
  'lots',
  'productLots',
  'orderLists',
  'movements',
  'daySums',
  'audit',
  'orderStatuses',
] as const;

/** Whether older rows of the table may be in run files. */
export function isTiered(table: string): boolean {
  return (TIERED as readonly string[]).includes(table);
}

export type CheckpointTables = {
  readonly environment: Environment;
  readonly runs: RunSet;
  readonly tiered: readonly TieredTable[];
} & Readonly<Record<(typeof CHECKPOINT_TABLES)[number], Table>>;

interface MetaRow extends StateMeta {
  /** Hexadecimal SHA-256 of the frame that ends at `position`. */
  readonly journalHash: string;
}

export function openCheckpoint(folder: string): CheckpointTables {
  const environment = openEnvironment(join(folder, CHECKPOINT_FILE));
  const tables = Object.fromEntries(
    CHECKPOINT_TABLES.map((name) => [name, environment.table(name)]),
  ) as Record<(typeof CHECKPOINT_TABLES)[number], LmdbTable>;
  const runs = new RunSet(environment, tables.meta, CHECKPOINT_RUNS);
  environment.onClose(() => runs.close());
  const tiered = TIERED.map((name) => new TieredTable(name, tables[name], runs, { isPacked: true }));
  return {
    environment,
    runs,
    tiered,
    ...tables,
    ...Object.fromEntries(tiered.map((table) => [table.name, table])),
  };
}

/**
 * The state as of the checkpoint, without history, and where the journal goes on from there. A `filter` must
 * have all of the checkpoint's keys; it may have more.
 */
export function loadState(tables: CheckpointTables, filter?: KeyFilter): { state: State; head: LogHead } {
  const state = new State(filter);
  const meta = readRow('meta', tables.meta, META_KEY, decodeJson<MetaRow>);
  if (meta === undefined) return { state, head: GENESIS };
  loadRows(state, meta, (table) => rowsOf(tables, table));
  return { state, head: { position: meta.position, hash: Buffer.from(meta.journalHash, 'hex') } };
}

/**
 * The last fact that all rows of the checkpoint reflect; two reads that give the same are of one checkpoint, and so are
 * all reads between them.
 */
export function checkpointHead({
  meta,
}: Pick<CheckpointTables, 'meta'>): Pick<MetaRow, 'position' | 'lastAtMs'> {
  return readRow('meta', meta, META_KEY, decodeJson<MetaRow>) ?? { position: 0, lastAtMs: 0 };
}

/** Writes what facts have changed in the state's tables since the fact at `since`; `journalHash` is the last frame's. */
export function writeChanges(
  tables: CheckpointTables,
  state: State,
  since: number,
  journalHash: string,
): void {
  takeChanged(state, (name, id, row) => writeRow(tables[name], id, row));
  writeEnded(tables.ended, state.endedSupplierPurchases.values(), since);
  const meta: MetaRow = { ...metaOf(state), journalHash };
  tables.meta.put(META_KEY, seal(META_KEY, encodeJson(meta)));
}

/** Writes the new rows; rows that the state has forgotten are removed. */
function writeEnded(table: Table, ended: readonly EndedSupplierPurchase[], since: number): void {
  const [oldest] = ended;
  if (oldest === undefined || (ended.at(-1)?.position ?? 0) <= since) return;
  for (const key of Array.from(table.getKeys({ end: numberKey(oldest.position) }))) table.remove(key);
  for (const row of ended) if (row.position > since) writeRow(table, row.position, row);
}

/** Removes the row when there is none any more. */
function writeRow(table: Table, id: number, row: object | undefined): void {
  const key = numberKey(id);
  if (row === undefined) table.remove(key);
  else table.put(key, seal(key, encodeJson(row)));
}

function* rowsOf<Row>(
  tables: CheckpointTables,
  name: (typeof CHECKPOINT_TABLES)[number],
): IterableIterator<Row> {
  for (const { key, value } of tables[name].getRange()) {
    yield decodeJson<Row>(unseal(name, key, value));
  }
}
