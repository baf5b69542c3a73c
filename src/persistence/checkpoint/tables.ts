/**
 * The checkpoint's tables in its store (`../store/`). Numbers stand in files, so they never change their meaning.
 */
import { type StoreTable, storeTable as table } from '../store/store-table.ts';

const STATE = { hasValue: true, ends: true } as const;

export const TABLES = {
  // The state.
  meta: table(1, { hasValue: true }),
  accounts: table(2, STATE),
  products: table(3, STATE),
  suppliers: table(4, STATE),
  operators: table(5, STATE),
  supplierPurchases: table(6, STATE),
  waitingDebits: table(7, STATE),
  ended: table(8, STATE),
  priceLists: table(9, STATE),
  /** By owner and product, in one number (`price-rows.ts`). */
  listPrices: table(10, STATE),
  accountPrices: table(11, STATE),
  deposits: table(12, STATE),
  /** Unclaimed ones, by the positions of their facts. */
  transfers: table(13, STATE),
  // The history: each row is made of one fact.
  orders: table(16, { hasValue: true }),
  /** By the position of the fact. */
  refusals: table(17, { hasValue: true }),
  /** By the hash of account and key: the outcome (`key-ref.ts`). */
  keys: table(18, { hasB: true, isFiltered: true }),
  accountOrders: table(20, { hasB: true }),
  productOrders: table(21, { hasB: true }),
  /** By product and first item: how many were taken at once, and the order. */
  items: table(22, { hasB: true, hasValue: true }),
  /** By order, supplier purchase, request: positions of facts, or the order. */
  orderFacts: table(23, { hasB: true }),
  holdFacts: table(24, { hasB: true }),
  lateRequests: table(25, { hasB: true }),
  /** By status and order: those that aren't completed. */
  statuses: table(26, { hasB: true, hasValue: true, ends: true }),
  /** By the hash of the name and the order. */
  recipients: table(27, { hasB: true }),
  /** By account and position. */
  movements: table(28, { hasB: true, hasValue: true }),
  /** By account and position: facts that gave events, and have no movement. */
  accountEvents: table(29, { hasB: true, hasValue: true }),
  /** Orders that were recovered after a restore: their numbers, and by product and first item what they had. */
  recovered: table(30),
  recoveredItems: table(31, { hasB: true, hasValue: true }),
  lots: table(32, { hasValue: true }),
  /** By product and first item: the lot. */
  productLots: table(33, { hasB: true, hasValue: true }),
  /** By position: what an operator did. */
  audit: table(34, { hasValue: true }),
  operatorAudit: table(35, { hasB: true }),
  accountAudit: table(36, { hasB: true }),
  /** By the hash of who and the reference, and the position: credits, and operators' calls by their keys. */
  credits: table(37, { hasB: true, hasValue: true, isFiltered: true }),
  calls: table(38, { hasB: true, hasValue: true, isFiltered: true }),
  supplierPurchaseEnds: table(39, { hasValue: true }),
  /** Sums of money: by product and day, by account and day; of all by quarter of an hour (44). */
  productDaySums: table(41, { hasB: true, hasValue: true, adds: true }),
  accountDaySums: table(42, { hasB: true, hasValue: true, adds: true }),
  /** By account and Unix minute: what was bought, less what went back. */
  spentMinutes: table(43, { hasB: true, hasValue: true, adds: true }),
  quarterSums: table(44, { hasB: true, hasValue: true, adds: true }),
} as const satisfies Readonly<Record<string, StoreTable>>;

export const ALL_TABLES: readonly StoreTable[] = Object.values<StoreTable>(TABLES).sort(
  (x, y) => x.number - y.number,
);
