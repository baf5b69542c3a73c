/**
 * Reads orders one after the other, as they are now. Neighbours are in one row of the checkpoint, which is read once
 * for them: when two orders in a row are asked for, the whole row is. The kept row is good for one slice (`slices.ts`).
 */
import { type History, orderOf } from '../../../engine/decide/history.ts';
import type { Order } from '../../../engine/orders.ts';
import type { State } from '../../../engine/state.ts';
import type { OrderIndex, OrderRow } from '../../../persistence/checkpoint/order-index.ts';

const NONE = -1;

export interface OrderSources {
  readonly engine: { readonly state: State };
  readonly history: History;
  readonly orderIndex: OrderIndex;
}

export class OrderReader {
  readonly #sources: OrderSources;
  /** The number of the checkpoint's row with the order that was asked for last. */
  #number = NONE;
  #row: OrderRow | undefined;

  constructor(sources: OrderSources) {
    this.#sources = sources;
  }

  at(orderId: number): Order | undefined {
    const { engine, history, orderIndex } = this.#sources;
    const { state } = engine;
    const number = orderIndex.rowNumber(orderId);
    if (number !== this.#number) {
      this.#number = number;
      this.#row = undefined;
      return orderOf(state, history, orderId);
    }
    const recent = state.orders.get(orderId);
    if (recent !== undefined) return recent;
    this.#row ??= orderIndex.row(number);
    return this.#row?.get(orderId);
  }

  /** Drops the kept row, so that later reads see the state of their time. */
  refresh(): void {
    this.#number = NONE;
    this.#row = undefined;
  }
}
