/**
 * The state's rows in the store: what facts have changed in it, and the state as of the last fold. They are JSON; orders
 * and outcomes are history, and not among them.
 */
import type { Account } from '../../src/engine/accounts.ts';
import type { Ledger } from '../../src/engine/ledger.ts';
import type { Operator } from '../../src/engine/operators.ts';
import type { Product } from '../../src/engine/products.ts';
import type { Epoch, Gap } from '../../src/engine/recovery/epochs.ts';
import type { WaitingDebit } from '../../src/engine/recovery/waiting-debits.ts';
import type { StoredStock } from '../../src/engine/shelf.ts';
import { State } from '../../src/engine/state.ts';
import type { EndedSupplierPurchase } from '../../src/engine/supplying/ended-supplier-purchases.ts';
import type { SupplierPurchase } from '../../src/engine/supplying/supplier-purchases.ts';
import type { Supplier } from '../../src/engine/supplying/suppliers.ts';
import { DamagedDataError } from '../../src/persistence/codec/byte-reader.ts';
import type { FactRows } from './fact-rows.ts';
import type { StoreReader } from './store-reader.ts';
import { STORE, type StoreTable } from './tables.ts';

const NUMBERED = ['accounts', 'products', 'suppliers', 'operators'] as const;
const BY_ID = ['accounts', 'suppliers', 'operators', 'supplierPurchases', 'waitingDebits'] as const;
const META = 0;

interface MetaRow {
  readonly position: number;
  readonly lastAtMs: number;
  readonly lastRequestNumber: number;
  readonly lastOrderId: number;
  readonly lastSupplierPurchaseId: number;
  readonly lastLotId: number;
  readonly nextIds: Readonly<Record<(typeof NUMBERED)[number], number>>;
  readonly unusedOrderIds: number;
  readonly epochs: readonly Epoch[];
  readonly gap: Gap | null;
  readonly ledger: Ledger;
}

/** Rows of what has changed since the fact at `since`. */
export function takeState(rows: FactRows, state: State, since: number): void {
  for (const name of BY_ID)
    for (const id of state.changed[name].take()) rows.putState(STORE[name], id, state[name].get(id));
  for (const id of state.changed.products.take())
    rows.putState(STORE.products, id, { ...state.products.get(id), ...state.stock.stored(id) });
  for (const row of state.endedSupplierPurchases.values())
    if (row.position > since) rows.putState(STORE.ended, row.position, row);
  const { position, lastAtMs, lastRequestNumber, ledger } = state;
  const { lastOrderId, lastSupplierPurchaseId, lastLotId, unusedOrderIds, gap } = state;
  const last = { lastAtMs, lastRequestNumber, lastOrderId, lastSupplierPurchaseId, lastLotId };
  const nextIds = Object.fromEntries(
    NUMBERED.map((name) => [name, state[name].nextId]),
  ) as MetaRow['nextIds'];
  const meta: MetaRow = {
    position,
    ...last,
    nextIds,
    unusedOrderIds,
    epochs: state.epochs.list,
    gap,
    ledger,
  };
  rows.putState(STORE.meta, META, meta);
}

/** The state as of the last fold, without history. Throws `DamagedFileError` and `DamagedDataError`. */
export function loadState(reader: StoreReader): State {
  const state = new State();
  const meta = reader.get(STORE.meta, META, 0, jsonOf<MetaRow>);
  if (meta === undefined) return state;
  state.position = meta.position;
  state.lastAtMs = meta.lastAtMs;
  state.lastRequestNumber = meta.lastRequestNumber;
  state.lastOrderId = meta.lastOrderId;
  state.lastSupplierPurchaseId = meta.lastSupplierPurchaseId;
  state.lastLotId = meta.lastLotId;
  state.unusedOrderIds = meta.unusedOrderIds;
  state.gap = meta.gap;
  for (const epoch of meta.epochs) state.epochs.add(epoch);
  Object.assign(state.ledger, meta.ledger);
  for (const row of rowsOf<Account>(reader, STORE.accounts)) state.accounts.load(row.accountId, row);
  for (const row of rowsOf<Product & StoredStock>(reader, STORE.products)) {
    const { next, end, withdrawn, recalled, lost, ...product } = row;
    const { productId } = product;
    state.products.load(productId, product);
    const gone = lost === undefined ? {} : { lost };
    if (end > 0 || lost !== undefined)
      state.stock.load(productId, { next, end, withdrawn, recalled, ...gone });
  }
  for (const row of rowsOf<Supplier>(reader, STORE.suppliers)) state.suppliers.load(row.supplierId, row);
  for (const row of rowsOf<Operator>(reader, STORE.operators)) state.operators.load(row.operatorId, row);
  for (const name of NUMBERED) {
    const nextId = meta.nextIds[name];
    if (state[name].nextId > nextId)
      throw new DamagedDataError(`the store has a row of ${name} that is not among its ${nextId - 1}`);
    state[name].skip(nextId);
  }
  for (const row of rowsOf<WaitingDebit>(reader, STORE.waitingDebits)) state.waitingDebits.add(row);
  for (const row of rowsOf<SupplierPurchase>(reader, STORE.supplierPurchases))
    state.supplierPurchases.set(row);
  // The state forgets the oldest by itself.
  for (const row of rowsOf<EndedSupplierPurchase>(reader, STORE.ended)) state.endedSupplierPurchases.add(row);
  return state;
}

function* rowsOf<Row>(reader: StoreReader, table: StoreTable): IterableIterator<Row> {
  for (const { value } of reader.range(table, { fromA: 0, toA: Number.MAX_SAFE_INTEGER }))
    yield jsonOf<Row>(value);
}

function jsonOf<Row>(value: Uint8Array): Row {
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.length).toString()) as Row;
}
