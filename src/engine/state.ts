/**
 * All that the node knows, in memory: the tables, the ledger, and how many facts they rest on.
 *
 * Only `apply` changes it. Orders and outcomes are those younger than the checkpoint; the rest is history.
 */
import type { Account } from './accounts.ts';
import { ChangedRows } from './apply/changed-rows.ts';
import { Idempotency } from './decide/idempotency.ts';
import { Deposits, UnclaimedTransfers } from './deposits/deposits.ts';
import { IdTable } from './id-table.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import { RecentLots } from './lots.ts';
import type { Operator } from './operators.ts';
import { PriceLists } from './pricing/price-lists.ts';
import { PriceRows } from './pricing/price-rows.ts';
import { ProductSkus } from './product-skus.ts';
import type { Product } from './products.ts';
import { RecentEvents } from './recent/recent-events.ts';
import { RecentOrders } from './recent/recent-orders.ts';
import { Epochs, type Gap } from './recovery/epochs.ts';
import { WaitingDebits } from './recovery/waiting-debits.ts';
import { Spending } from './spending/spending.ts';
import { Stock } from './stock.ts';
import { EndedSupplierPurchases } from './supplying/ended-supplier-purchases.ts';
import { RecentSupplierPurchaseEnds } from './supplying/supplier-purchase-ends.ts';
import { SupplierPurchases } from './supplying/supplier-purchases.ts';
import type { Supplier } from './supplying/suppliers.ts';
import { UniqueTexts } from './unique-texts.ts';

export class State {
  /** The sequence number of the last fact applied; 0 when there is none. */
  position = 0;
  /** When that fact happened, in Unix milliseconds. */
  lastAtMs = 0;
  /** The highest number of a request that a fact names. */
  lastRequestNumber = 0;
  lastOrderId = 0;
  lastSupplierPurchaseId = 0;
  lastLotId = 0;
  lastDepositId = 0;
  /** Order numbers up to the last one that no order has: skips, without what was recovered. */
  unusedOrderIds = 0;
  readonly epochs = new Epochs();
  /** While there is one, nothing is sold. */
  gap: Gap | null = null;
  readonly ledger: Ledger = emptyLedger();
  /** Which rows of the tables below the facts have changed. Stock is part of its product's row. */
  readonly changed = {
    accounts: new ChangedRows(),
    products: new ChangedRows(),
    suppliers: new ChangedRows(),
    supplierPurchases: new ChangedRows(),
    operators: new ChangedRows(),
    waitingDebits: new ChangedRows(),
    priceLists: new ChangedRows(),
    listPrices: new ChangedRows(),
    accountPrices: new ChangedRows(),
    deposits: new ChangedRows(),
    transfers: new ChangedRows(),
  };
  readonly accounts = new IdTable<Account>('account', this.changed.accounts);
  readonly spending = new Spending();
  readonly externalIds = new UniqueTexts();
  readonly products = new IdTable<Product>('product', this.changed.products);
  readonly skus = new ProductSkus();
  readonly stock = new Stock(this.changed.products);
  readonly priceLists = new PriceLists(this.changed.priceLists);
  /** By price list, and by account. */
  readonly listPrices = new PriceRows(this.changed.listPrices);
  readonly accountPrices = new PriceRows(this.changed.accountPrices);
  readonly suppliers = new IdTable<Supplier>('supplier', this.changed.suppliers);
  readonly supplierPurchases = new SupplierPurchases(this.changed.supplierPurchases);
  readonly operators = new IdTable<Operator>('operator', this.changed.operators);
  readonly waitingDebits = new WaitingDebits(this.changed.waitingDebits);
  readonly deposits = new Deposits(this.changed.deposits);
  readonly transfers = new UnclaimedTransfers(this.changed.transfers);
  readonly endedSupplierPurchases = new EndedSupplierPurchases();
  readonly supplierPurchaseEnds = new RecentSupplierPurchaseEnds();
  readonly orders = new RecentOrders();
  readonly events = new RecentEvents();
  readonly lots = new RecentLots();
  readonly idempotency = new Idempotency(this.orders);

  /** How many orders there ever were, whatever their numbers. */
  get orderCount(): number {
    return this.lastOrderId - this.unusedOrderIds;
  }

  /** Starts a new generation of what is younger than the checkpoint. */
  cut(): void {
    this.orders.cut();
    this.events.cut();
    this.lots.cut();
    this.supplierPurchaseEnds.cut();
    this.idempotency.cut();
  }

  /** Forgets the generation before the last cut: the checkpoint holds it. */
  dropOlder(): void {
    this.orders.dropOlder();
    this.events.dropOlder();
    this.lots.dropOlder();
    this.supplierPurchaseEnds.dropOlder();
    this.idempotency.dropOlder();
  }

  /**
   * The number of rows that only memory holds until the next checkpoint: outcomes of keys, orders without a key,
   * changes of orders, lots, and ends of supplier purchases.
   */
  get recentOutcomes(): number {
    return this.idempotency.size + this.orders.unkeyed + this.lots.size + this.supplierPurchaseEnds.size;
  }
}
