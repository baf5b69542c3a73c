/**
 * Things that there are in the shop as it is restored: from a thing that came later, nothing was taken away. The state at
 * that moment says it. Without one (a dry run makes none) it is told by the later facts, which name what they made.
 */

import { lotAddedBy } from '../../engine/decide/lot-lookup.ts';
import type { Fact } from '../../engine/fact.ts';
import type { State } from '../../engine/state.ts';
import type { TakenKind, TakenKinds } from '../../engine/taken-away.ts';

type Table = 'accounts' | 'operators' | 'products' | 'suppliers' | 'priceLists';

const TABLES = {
  keys: 'accounts',
  operators: 'operators',
  webhooks: 'accounts',
  products: 'products',
  lots: 'lots',
  items: 'products',
  suppliers: 'suppliers',
  accounts: 'accounts',
  priceLists: 'priceLists',
  listPrices: 'priceLists',
  accountPrices: 'accounts',
} as const satisfies Record<TakenKind, Table | 'lots'>;

type Ids = Readonly<Record<string, number>>;
const IDS = {
  accounts: ({ accountId = 0 }: Ids) => accountId,
  operators: ({ operatorId = 0 }: Ids) => operatorId,
  products: ({ productId = 0 }: Ids) => productId,
  suppliers: ({ supplierId = 0 }: Ids) => supplierId,
  priceLists: ({ priceListId = 0 }: Ids) => priceListId,
  lots: ({ lotId = 0 }: Ids) => lotId,
} as const satisfies Record<Table | 'lots', (row: Ids) => number>;

export class RestoredThings {
  readonly state: State | undefined;
  /** Ids of things that were made later, by table. */
  readonly #made: Readonly<Record<Table, Set<number>>> = {
    accounts: new Set(),
    operators: new Set(),
    products: new Set(),
    suppliers: new Set(),
    priceLists: new Set(),
  };
  /** The first item that came later, by product. */
  readonly #firstItems = new Map<number, number>();
  #firstLot = Number.POSITIVE_INFINITY;

  constructor(state?: State) {
    this.state = state;
  }

  /** The things that this fact makes came later. */
  note(fact: Fact): void {
    if (this.state !== undefined) return;
    if (fact.kind === 'AccountCreated') this.#made.accounts.add(fact.accountId);
    else if (fact.kind === 'OperatorCreated') this.#made.operators.add(fact.operatorId);
    else if (fact.kind === 'ProductCreated') this.#made.products.add(fact.productId);
    else if (fact.kind === 'SupplierCreated') this.#made.suppliers.add(fact.supplierId);
    else if (fact.kind === 'PriceListCreated') this.#made.priceLists.add(fact.priceListId);
    const lot = lotAddedBy(fact);
    if (lot !== undefined) this.#firstLot = Math.min(this.#firstLot, lot.lotId);
    const added = fact.kind === 'SupplierPurchaseReconciled' && fact.count > 0 ? fact : lot;
    if (added !== undefined && !this.#firstItems.has(added.productId))
      this.#firstItems.set(added.productId, added.firstItem);
  }

  /** True when the thing that the row is about is there. */
  has<Kind extends TakenKind>(kind: Kind, row: TakenKinds[Kind]): boolean {
    const table: Table | 'lots' = TABLES[kind];
    const id = IDS[table](row as unknown as Ids);
    if (table === 'lots') return this.state === undefined ? id < this.#firstLot : id <= this.state.lastLotId;
    return this.state === undefined ? !this.#made[table].has(id) : this.state[table].get(id) !== undefined;
  }

  /** Items of the product below this one are there. */
  endOfItems(productId: number): number {
    if (this.state !== undefined) return this.state.stock.of(productId).end;
    return this.#firstItems.get(productId) ?? Number.POSITIVE_INFINITY;
  }
}
