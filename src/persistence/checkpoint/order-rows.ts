/**
 * Collects orders as facts come, and writes them as rows: a row is read and written once between two calls of `flush`,
 * however many of its orders changed.
 */
import type { Order } from '../../engine/orders.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { numberKey, type Table } from '../lmdb/lmdb-environment.ts';
import { OrderBlock, orderBlockOf, readOrderBlock, sealIn } from './checkpoint-rows.ts';

export class OrderRows {
  readonly #table: Table;
  readonly #scratch = new ByteWriter();
  readonly #blocks = new Map<number, OrderBlock>();

  constructor(table: Table) {
    this.#table = table;
  }

  /** Inside a transaction, like `flush`. */
  set(order: Order): void {
    const number = orderBlockOf(order.orderId);
    let block = this.#blocks.get(number);
    if (block === undefined) {
      block = readOrderBlock(this.#table, number) ?? new OrderBlock();
      this.#blocks.set(number, block);
    }
    block.set(order);
  }

  /** All that was set is in the table then. */
  flush(): void {
    for (const [number, block] of this.#blocks) {
      const key = numberKey(number);
      block.encode(this.#scratch);
      this.#table.put(key, sealIn(this.#scratch, key));
    }
    this.#blocks.clear();
  }
}
