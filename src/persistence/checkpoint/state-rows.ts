/**
 * The state's rows, wherever a checkpoint keeps them: what facts have changed in it, and the state that they are. Orders
 * and outcomes are history, and not among them.
 */
import type { Account } from '../../engine/accounts.ts';
import type { Deposit, UnclaimedTransfer } from '../../engine/deposits/deposit.ts';
import type { Ledger } from '../../engine/ledger.ts';
import type { Operator } from '../../engine/operators.ts';
import type { PriceList } from '../../engine/pricing/price-lists.ts';
import type { PriceRow } from '../../engine/pricing/price-rows.ts';
import type { Product } from '../../engine/products.ts';
import type { Epoch, Gap } from '../../engine/recovery/epochs.ts';
import type { WaitingDebit } from '../../engine/recovery/waiting-debits.ts';
import type { StoredStock } from '../../engine/shelf.ts';
import type { SpentWindow } from '../../engine/spending/spend-limit.ts';
import type { State } from '../../engine/state.ts';
import type { EndedSupplierPurchase } from '../../engine/supplying/ended-supplier-purchases.ts';
import type { SupplierPurchase } from '../../engine/supplying/supplier-purchases.ts';
import type { Supplier } from '../../engine/supplying/suppliers.ts';
import { DamagedDataError } from '../codec/byte-reader.ts';

const NUMBERED = ['accounts', 'products', 'suppliers', 'operators', 'priceLists'] as const;
const BY_ID = [
  'suppliers',
  'operators',
  'supplierPurchases',
  'waitingDebits',
  'priceLists',
  'listPrices',
  'accountPrices',
  'deposits',
  'transfers',
] as const;

/** The one row for all that has no rows of its own. */
export interface StateMeta {
  readonly position: number;
  /** The time of the fact at `position`, Unix milliseconds. */
  readonly lastAtMs: number;
  readonly lastRequestNumber: number;
  readonly lastOrderId: number;
  readonly lastSupplierPurchaseId: number;
  readonly lastLotId: number;
  readonly lastDepositId: number;
  /** The next ids of tables whose numbers skip with a restore, when no row says them. */
  readonly nextIds: Readonly<Record<(typeof NUMBERED)[number], number>>;
  readonly unusedOrderIds: number;
  readonly epochs: readonly Epoch[];
  readonly gap: Gap | null;
  readonly ledger: Ledger;
}

interface StateRows {
  accounts: Account & { readonly spent?: readonly SpentWindow[] };
  products: Product & StoredStock;
  suppliers: Supplier;
  operators: Operator;
  waitingDebits: WaitingDebit;
  supplierPurchases: SupplierPurchase;
  ended: EndedSupplierPurchase;
  priceLists: PriceList;
  listPrices: PriceRow;
  accountPrices: PriceRow;
  deposits: Deposit;
  transfers: UnclaimedTransfer;
}
export type StateTable = keyof StateRows;
/** The rows of a table, ascending by id. */
export type RowsOf = <Table extends StateTable>(table: Table) => Iterable<StateRows[Table]>;

/** Takes the rows that facts have changed, those that ended apart; `undefined` where there is none any more. */
export function takeChanged(
  state: State,
  put: (table: Exclude<StateTable, 'ended'>, id: number, row: object | undefined) => void,
): void {
  for (const name of BY_ID) {
    for (const id of state.changed[name].take()) put(name, id, state[name].get(id));
  }
  for (const id of state.changed.accounts.take()) {
    const spent = state.spending.stored(id);
    const account = state.accounts.get(id);
    put('accounts', id, spent === undefined ? account : { ...account, spent });
  }
  for (const id of state.changed.products.take()) {
    put('products', id, { ...state.products.get(id), ...state.stock.stored(id) });
  }
}

export function metaOf(state: State): StateMeta {
  const { position, lastAtMs, lastRequestNumber, ledger } = state;
  const { lastOrderId, lastSupplierPurchaseId, lastLotId, lastDepositId, unusedOrderIds, gap } = state;
  const numbers = { lastOrderId, lastSupplierPurchaseId, lastLotId, lastDepositId };
  const last = { lastAtMs, lastRequestNumber, ...numbers };
  const nextIds = Object.fromEntries(
    NUMBERED.map((name) => [name, state[name].nextId]),
  ) as StateMeta['nextIds'];
  return { position, ...last, nextIds, unusedOrderIds, epochs: state.epochs.list, gap, ledger };
}

/** Fills a new state. Throws `DamagedDataError`. */
export function loadRows(state: State, meta: StateMeta, rowsOf: RowsOf): void {
  state.position = meta.position;
  state.lastAtMs = meta.lastAtMs;
  state.lastRequestNumber = meta.lastRequestNumber;
  state.lastOrderId = meta.lastOrderId;
  state.lastSupplierPurchaseId = meta.lastSupplierPurchaseId;
  state.lastLotId = meta.lastLotId;
  state.lastDepositId = meta.lastDepositId;
  state.unusedOrderIds = meta.unusedOrderIds;
  state.gap = meta.gap;
  for (const epoch of meta.epochs) state.epochs.add(epoch);
  Object.assign(state.ledger, meta.ledger);
  for (const row of rowsOf('accounts')) {
    const { accountId, profile } = row;
    state.accounts.load(accountId, row.spent === undefined ? row : withoutSpent(row));
    if (row.spent !== undefined) state.spending.load(accountId, row.spent);
    state.externalIds.move(accountId, undefined, profile.externalId);
    state.priceLists.noteAccount(undefined, profile);
  }
  for (const { next, end, withdrawn, recalled, lost, ...product } of rowsOf('products')) {
    const { productId } = product;
    state.products.load(productId, product);
    state.skus.change(productId, undefined, product.profile);
    const gone = lost === undefined ? {} : { lost };
    if (end > 0 || lost !== undefined)
      state.stock.load(productId, { next, end, withdrawn, recalled, ...gone });
  }
  for (const row of rowsOf('suppliers')) state.suppliers.load(row.supplierId, row);
  for (const row of rowsOf('operators')) state.operators.load(row.operatorId, row);
  for (const row of rowsOf('priceLists')) state.priceLists.load(row.priceListId, row);
  for (const name of ['listPrices', 'accountPrices'] as const)
    for (const row of rowsOf(name)) state[name].set(row.ownerId, row.productId, row);
  for (const name of NUMBERED) {
    const nextId = meta.nextIds[name];
    if (state[name].nextId > nextId)
      throw new DamagedDataError(`the checkpoint has a row of ${name} that is not among its ${nextId - 1}`);
    state[name].skip(nextId);
  }
  for (const row of rowsOf('waitingDebits')) state.waitingDebits.add(row);
  for (const row of rowsOf('supplierPurchases')) state.supplierPurchases.set(row);
  for (const row of rowsOf('deposits')) state.deposits.add(row);
  for (const row of rowsOf('transfers')) state.transfers.add(row);
  for (const row of rowsOf('ended')) state.endedSupplierPurchases.add(row);
}

function withoutSpent({ spent: _, ...account }: StateRows['accounts']): Account {
  return account;
}
