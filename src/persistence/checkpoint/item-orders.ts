/** Who bought which items, as operators ask: the index of orders by item, once it has all that is durable. */
import type { Engine } from '../../engine/engine.ts';
import type { CheckpointTables } from './checkpoint-tables.ts';
import type { Checkpointer } from './checkpointer.ts';
import { type ItemsTaken, itemsTaken, orderOfItem } from './product-orders.ts';

export interface ItemOrdersOptions {
  readonly engine: Engine;
  readonly checkpointer: Pick<Checkpointer, 'reach'>;
  readonly tables: CheckpointTables;
}

export class ItemOrders {
  readonly #options: ItemOrdersOptions;

  constructor(options: ItemOrdersOptions) {
    this.#options = options;
  }

  /**
   * Call it before the others, and after what they are asked about. Resolves with false when the disk is full, or the
   * node stops: then they know too little.
   */
  async ready(): Promise<boolean> {
    const { engine, checkpointer } = this.#options;
    const isDurable = await new Promise<boolean>((resolve) => engine.whenDurable(resolve));
    return isDurable && checkpointer.reach(engine.durablePosition);
  }

  /** Throws `DamagedDataError`, like the next. */
  orderOf(productId: number, item: number): number | undefined {
    return orderOfItem(this.#options.tables, productId, item);
  }

  /** What was sold of items `firstItem` to `lastItem`, in their order, at most `limit` rows. */
  taken(productId: number, firstItem: number, lastItem: number, limit: number): ItemsTaken[] {
    const found: ItemsTaken[] = [];
    for (const taken of itemsTaken(this.#options.tables, productId, firstItem, lastItem)) {
      if (found.length === limit) break;
      found.push(taken);
    }
    return found;
  }
}
