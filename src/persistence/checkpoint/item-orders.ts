/**
 * Orders by the items that they took, as operators ask. Have the checkpoint reach all that is decided first
 * (`Checkpointer.reachDecided`).
 */
import type { State } from '../../engine/state.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';
import { type ItemSources, type ItemsTaken, itemsTaken, orderOfItem } from './product-orders.ts';

export class ItemOrders {
  readonly #engine: { readonly state: State };
  readonly #tables: Pick<CheckpointTables, 'orderLists' | 'recoveredOrders'>;

  constructor(
    engine: { readonly state: State },
    tables: Pick<CheckpointTables, 'orderLists' | 'recoveredOrders'>,
  ) {
    this.#engine = engine;
    this.#tables = tables;
  }

  /** Throws `DamagedDataError`, like the next. */
  orderOf(productId: number, item: number): number | undefined {
    return orderOfItem(this.#sources, productId, item);
  }

  /** Sales of items `firstItem` to `lastItem`, in the order of items, at most `limit` rows. */
  taken(productId: number, firstItem: number, lastItem: number, limit: number): ItemsTaken[] {
    const found: ItemsTaken[] = [];
    for (const taken of itemsTaken(this.#sources, productId, firstItem, lastItem)) {
      if (found.length === limit) break;
      found.push(taken);
    }
    return found;
  }

  /** Sources with the stock as it is now: a rebuilt state has another one. */
  get #sources(): ItemSources {
    const { orderLists, recoveredOrders } = this.#tables;
    return { orderLists, recoveredOrders, stock: this.#engine.state.stock };
  }
}
