/**
 * The checkpoint's file: the second LMDB environment, into which the journal is folded behind the traffic.
 *
 * `meta` names the journal position that all other rows reflect, and is written in the same transaction.
 */
import { join } from 'node:path';
import type { AccountProfile, ApiKey } from '../../engine/accounts.ts';
import type { EndedSupplierPurchase } from '../../engine/ended-supplier-purchases.ts';
import type { KeyFilter } from '../../engine/key-filter.ts';
import type { Ledger } from '../../engine/ledger.ts';
import type { ProductFile, ProductProfile, SuppliedStock } from '../../engine/products.ts';
import { State } from '../../engine/state.ts';
import type { WithdrawnRange } from '../../engine/stock.ts';
import type { SupplierPurchase } from '../../engine/supplier-purchases.ts';
import type { Supplier } from '../../engine/suppliers.ts';
import type { Webhook } from '../../engine/webhook.ts';
import { GENESIS, type LogHead } from '../journal/frame-log.ts';
import { type Environment, numberKey, openEnvironment, type Table } from '../lmdb/lmdb-environment.ts';
import { seal, unseal } from './checkpoint-rows.ts';

export const CHECKPOINT_FILE = 'checkpoint.mdb';
/** The tables of the checkpoint, by name. */
export const CHECKPOINT_TABLES = [
  'meta',
  'accounts',
  'products',
  'orders',
  'keys',
  'refusals',
  'credits',
  'suppliers',
  'supplierPurchases',
  'ended',
] as const;
const META_KEY = Buffer.from('checkpoint');

export interface CheckpointTables {
  readonly environment: Environment;
  readonly meta: Table;
  readonly accounts: Table;
  readonly products: Table;
  readonly orders: Table;
  readonly keys: Table;
  readonly refusals: Table;
  readonly credits: Table;
  readonly suppliers: Table;
  /** Those whose end isn't known. */
  readonly supplierPurchases: Table;
  /** What became of some lately, by the position of the fact. */
  readonly ended: Table;
}

export interface MetaRow {
  readonly position: number;
  /** Hexadecimal SHA-256 of the frame that ends at `position`. */
  readonly journalHash: string;
  readonly lastOrderId: number;
  readonly lastSupplierPurchaseId: number;
  readonly ledger: Ledger;
}

export interface AccountRow {
  readonly accountId: number;
  readonly profile: AccountProfile;
  readonly key: ApiKey | null;
  readonly webhook: Webhook | null;
  readonly walletMicros: number;
  readonly heldMicros: number;
  readonly createdAtMs: number;
}

export interface ProductRow {
  readonly productId: number;
  readonly profile: ProductProfile;
  readonly file: ProductFile | null;
  readonly suppliedStock: SuppliedStock;
  readonly createdAtMs: number;
  readonly nextItem: number;
  readonly endItem: number;
  readonly withdrawn: readonly WithdrawnRange[];
}

export function openCheckpoint(folder: string): CheckpointTables {
  const environment = openEnvironment(join(folder, CHECKPOINT_FILE));
  return {
    environment,
    meta: environment.table('meta'),
    accounts: environment.table('accounts'),
    products: environment.table('products'),
    orders: environment.table('orders'),
    keys: environment.table('keys'),
    refusals: environment.table('refusals'),
    credits: environment.table('credits'),
    suppliers: environment.table('suppliers'),
    supplierPurchases: environment.table('supplierPurchases'),
    ended: environment.table('ended'),
  };
}

export function sealedJson(
  key: Uint8Array,
  row: MetaRow | AccountRow | ProductRow | Supplier | SupplierPurchase | EndedSupplierPurchase,
): Buffer {
  return seal(key, Buffer.from(JSON.stringify(row)));
}

export function writeMeta(tables: CheckpointTables, row: MetaRow): void {
  tables.meta.put(META_KEY, sealedJson(META_KEY, row));
}

/**
 * The state as of the checkpoint, without history, and where the journal goes on from there. A `filter` must
 * have all of the checkpoint's keys; it may have more.
 */
export function loadState(tables: CheckpointTables, filter?: KeyFilter): { state: State; head: LogHead } {
  const state = new State(filter);
  const sealed = tables.meta.get(META_KEY);
  if (sealed === undefined) return { state, head: GENESIS };
  const meta = parse<MetaRow>(unseal('meta', META_KEY, sealed));
  state.position = meta.position;
  state.lastOrderId = meta.lastOrderId;
  state.lastSupplierPurchaseId = meta.lastSupplierPurchaseId;
  Object.assign(state.ledger, meta.ledger);
  for (const { key, value } of tables.accounts.getRange()) {
    state.accounts.add(parse<AccountRow>(unseal('accounts', key, value)));
  }
  for (const { key, value } of tables.products.getRange()) {
    loadProduct(state, parse<ProductRow>(unseal('products', key, value)));
  }
  for (const { key, value } of tables.suppliers.getRange()) {
    state.suppliers.add(parse<Supplier>(unseal('suppliers', key, value)));
  }
  for (const { key, value } of tables.supplierPurchases.getRange()) {
    state.supplierPurchases.set(parse<SupplierPurchase>(unseal('supplierPurchases', key, value)));
  }
  for (const { key, value } of tables.ended.getRange()) {
    state.endedSupplierPurchases.add(parse<EndedSupplierPurchase>(unseal('ended', key, value)));
  }
  return { state, head: { position: meta.position, hash: Buffer.from(meta.journalHash, 'hex') } };
}

export function writeAccount(tables: CheckpointTables, state: State, accountId: number): void {
  const account = state.accounts.get(accountId);
  if (account === undefined) return;
  const key = numberKey(accountId);
  tables.accounts.put(key, sealedJson(key, { ...account }));
}

export function writeProduct(tables: CheckpointTables, state: State, productId: number): void {
  const product = state.products.get(productId);
  if (product === undefined) return;
  const { next, end } = state.stock.of(productId);
  const withdrawn = state.stock.withdrawn(productId);
  const key = numberKey(productId);
  const row: ProductRow = { ...product, nextItem: next, endItem: end, withdrawn };
  tables.products.put(key, sealedJson(key, row));
}

export function writeSupplier(tables: CheckpointTables, state: State, supplierId: number): void {
  const supplier = state.suppliers.get(supplierId);
  if (supplier === undefined) return;
  const key = numberKey(supplierId);
  tables.suppliers.put(key, sealedJson(key, supplier));
}

/** Or removes its row, when its end is known. */
export function writeSupplierPurchase(
  tables: CheckpointTables,
  state: State,
  supplierPurchaseId: number,
): void {
  const supplierPurchase = state.supplierPurchases.get(supplierPurchaseId);
  const key = numberKey(supplierPurchaseId);
  if (supplierPurchase === undefined) tables.supplierPurchases.remove(key);
  else tables.supplierPurchases.put(key, sealedJson(key, supplierPurchase));
}

/** All of them, which are few; rows that are forgotten are removed. */
export function writeEndedSupplierPurchases(
  { ended }: CheckpointTables,
  { endedSupplierPurchases }: State,
): void {
  const rows = endedSupplierPurchases.values();
  const first = rows[0]?.position ?? 0;
  for (const key of Array.from(ended.getKeys({ end: numberKey(first) }))) ended.remove(key);
  for (const row of rows) {
    const key = numberKey(row.position);
    ended.put(key, sealedJson(key, row));
  }
}

function loadProduct(state: State, row: ProductRow): void {
  const { productId, profile, file, suppliedStock, createdAtMs } = row;
  state.products.add({ productId, profile, file, suppliedStock, createdAtMs });
  if (row.endItem > 0) state.stock.set(productId, row.nextItem, row.endItem);
  for (const range of row.withdrawn) state.stock.addWithdrawn(productId, range);
}

function parse<Row>(payload: Buffer): Row {
  return JSON.parse(payload.toString('utf8')) as Row;
}
