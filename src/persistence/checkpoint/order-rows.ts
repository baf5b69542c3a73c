/**
 * Collects orders as facts come, and writes them as rows.
 *
 * Most are new and ascend, so the last row is filled and put as soon as the next one begins: the orders in it die
 * young, and are no work for the garbage collector. Rows before it are of orders that changed; they are kept until
 * `flush`, so that a row is read and written once however many of its orders changed.
 */
import type { Order } from '../../engine/orders.ts';
import { ByteWriter } from '../codec/byte-writer.ts';
import { numberKey } from '../codec/number-key.ts';
import { sealIn } from '../codec/sealed-row.ts';
import type { Table } from '../lmdb/lmdb-environment.ts';
import { OrderBlock, orderBlockOf, readOrderBlock } from './checkpoint-rows.ts';

export class OrderRows {
  readonly #table: Table;
  readonly #scratch = new ByteWriter();
  readonly #changed = new Map<number, OrderBlock>();
  #last = { number: -1, block: new OrderBlock(), isPut: true };

  constructor(table: Table) {
    this.#table = table;
  }

  /** Inside a transaction, like all of these. */
  set(order: Order): void {
    const number = orderBlockOf(order.orderId);
    if (number > this.#last.number) {
      this.#putLast();
      this.#last = { number, block: this.#load(number), isPut: true };
    }
    if (number === this.#last.number) {
      this.#last.block.set(order);
      this.#last.isPut = false;
    } else {
      this.#changedBlock(number).set(order);
    }
  }

  /** All that was set is in the table then. */
  flush(): void {
    this.#putLast();
    for (const [number, block] of this.#changed) this.#put(number, block);
    this.#changed.clear();
  }

  #changedBlock(number: number): OrderBlock {
    let block = this.#changed.get(number);
    if (block === undefined) {
      block = this.#load(number);
      this.#changed.set(number, block);
    }
    return block;
  }

  #load(number: number): OrderBlock {
    return readOrderBlock(this.#table, number) ?? new OrderBlock();
  }

  #putLast(): void {
    const last = this.#last;
    if (!last.isPut) this.#put(last.number, last.block);
    last.isPut = true;
  }

  #put(number: number, block: OrderBlock): void {
    const key = numberKey(number);
    block.encode(this.#scratch);
    this.#table.put(key, sealIn(this.#scratch, key));
  }
}
