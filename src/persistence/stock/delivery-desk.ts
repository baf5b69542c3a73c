/**
 * Completes pending orders: their texts first, then the fact.
 *
 * What always holds: texts are durable before the fact that rests on them, and are never written over once it
 * is decided, because one order is completed by one caller at a time, who looks at it before he writes. When
 * the fact is refused after all, the texts stay where nobody reads them, until the next attempt.
 */
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../engine/history.ts';
import { orderOf } from '../../engine/history.ts';
import { isAllowed } from '../../engine/order-lifecycle.ts';
import type { Order } from '../../engine/orders.ts';
import { Rejection } from '../../engine/rejection.ts';
import type { StockStore } from './stock-store.ts';

/** Each holds its texts in memory. */
const MAX_UNDER_WAY = 64;

export class DeliveryDesk {
  readonly #engine: Engine;
  readonly #history: History;
  readonly #stock: StockStore;
  readonly #underWay = new Set<number>();

  constructor(engine: Engine, history: History, stock: StockStore) {
    this.#engine = engine;
    this.#history = history;
    this.#stock = stock;
  }

  /**
   * Resolves with the completed order, durable, or with the refusal. `texts` may be none. `supplyId` is that of
   * the supply that ends with it. Rejects with what
   * `StockStore.writeOrderTexts` does; then nothing has changed, and it may be tried again.
   */
  async complete(orderId: number, texts: readonly string[], supplyId?: number): Promise<Order | Rejection> {
    if (this.#underWay.has(orderId)) {
      return new Rejection('TRANSITION_NOT_ALLOWED', `Order ${orderId} is being completed at this moment.`);
    }
    if (this.#underWay.size >= MAX_UNDER_WAY) return new Rejection('RATE_LIMITED');
    this.#underWay.add(orderId);
    try {
      const textCount = texts.length;
      const areTextsWritten = textCount > 0 && this.#isPending(orderId);
      if (areTextsWritten) await this.#stock.writeOrderTexts(orderId, texts);
      return await new Promise((resolve) => {
        const ends = supplyId === undefined ? {} : { supplyId };
        this.#engine.submit({ kind: 'CompleteOrder', orderId, textCount, areTextsWritten, ...ends }, resolve);
      });
    } finally {
      this.#underWay.delete(orderId);
    }
  }

  /** An order that isn't is refused by the engine, when that may be told. */
  #isPending(orderId: number): boolean {
    const order = orderOf(this.#engine.state, this.#history, orderId);
    return order !== undefined && isAllowed(order.status, 'OrderDelivered', 'completed');
  }
}
