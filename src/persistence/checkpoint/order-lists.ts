/**
 * Writes the lists by which orders are found, as facts come (`order-entries.ts`). Entries that every purchase adds are
 * collected and written list by list at the end (`grouped-rows.ts`); the other lists get few entries, each at once.
 */
import type { Fact } from '../../engine/fact.ts';
import type { Table } from '../lmdb/lmdb-environment.ts';
import { GroupedRows } from './grouped-rows.ts';
import { type EntrySink, LISTS, type ListName, visitEntries } from './order-entries.ts';
import { PackedLists } from './packed-lists.ts';

export class OrderLists implements EntrySink {
  readonly #accounts: CollectedLists;
  readonly #products: CollectedLists;
  readonly #items: CollectedLists;
  readonly #others: Readonly<Record<Exclude<ListName, 'accounts' | 'products' | 'items'>, PackedLists>>;

  constructor(table: Table) {
    const collected = (name: ListName): CollectedLists => ({
      rows: new GroupedRows(LISTS[name].columns),
      lists: new PackedLists(table, LISTS[name]),
    });
    this.#accounts = collected('accounts');
    this.#products = collected('products');
    this.#items = collected('items');
    this.#others = {
      orderFacts: new PackedLists(table, LISTS.orderFacts),
      holdFacts: new PackedLists(table, LISTS.holdFacts),
      lateRequests: new PackedLists(table, LISTS.lateRequests),
    };
  }

  take(fact: Fact, position: number): void {
    visitEntries(fact, position, this);
  }

  flush(): void {
    for (const { rows, lists } of [this.#accounts, this.#products, this.#items]) {
      rows.visit((id, values, start, end) => lists.addAll(id, values, start, end));
      lists.flush();
    }
    for (const lists of Object.values(this.#others)) lists.flush();
  }

  add(list: Exclude<ListName, 'items'>, id: number, number: number): void {
    if (list === 'accounts') this.#accounts.rows.add(id, number);
    else if (list === 'products') this.#products.rows.add(id, number);
    else this.#others[list].add(id, number);
  }

  addItems(productId: number, firstItem: number, count: number, orderId: number): void {
    this.#items.rows.add(productId, firstItem, count, orderId);
  }
}

interface CollectedLists {
  readonly rows: GroupedRows;
  readonly lists: PackedLists;
}
