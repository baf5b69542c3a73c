/** Writes the lists by which orders are found, as facts come (`order-entries.ts`). */
import type { Fact } from '../../engine/fact.ts';
import type { Table } from '../lmdb/lmdb-environment.ts';
import { type EntrySink, LISTS, type ListName, visitEntries } from './order-entries.ts';
import { PackedLists } from './packed-lists.ts';

export class OrderLists implements EntrySink {
  readonly #accounts: PackedLists;
  readonly #products: PackedLists;
  readonly #items: PackedLists;
  readonly #lists: Readonly<Record<ListName, PackedLists>>;

  constructor(table: Table) {
    this.#accounts = new PackedLists(table, LISTS.accounts);
    this.#products = new PackedLists(table, LISTS.products);
    this.#items = new PackedLists(table, LISTS.items);
    this.#lists = {
      accounts: this.#accounts,
      products: this.#products,
      items: this.#items,
      orderFacts: new PackedLists(table, LISTS.orderFacts),
      holdFacts: new PackedLists(table, LISTS.holdFacts),
      lateRequests: new PackedLists(table, LISTS.lateRequests),
    };
  }

  take(fact: Fact, position: number): void {
    visitEntries(fact, position, this);
  }

  flush(): void {
    for (const lists of Object.values(this.#lists)) lists.flush();
  }

  add(list: Exclude<ListName, 'items'>, id: number, number: number): void {
    // Every purchase comes here twice, and a look-up by a name that changes is slow.
    if (list === 'accounts') this.#accounts.add(id, number);
    else if (list === 'products') this.#products.add(id, number);
    else this.#lists[list].add(id, number);
  }

  addItems(productId: number, firstItem: number, count: number, orderId: number): void {
    this.#items.add3(productId, firstItem, count, orderId);
  }
}
