/**
 * The numbers that orders have, to walk them from above, or to halve them by time.
 *
 * Orders are numbered without holes, but for the skips of restores: there, only those have numbers that were recovered.
 * Invariant: each question is answered by a few look-ups, however far a skip goes.
 */
import { type History, orderOf } from '../../../engine/decide/history.ts';
import type { State } from '../../../engine/state.ts';
import type { OrderIndex, OrderWalk } from '../../../persistence/checkpoint/order-index.ts';

export interface OrderSources {
  readonly engine: { readonly state: State };
  readonly history: History;
  readonly orderIndex: OrderIndex;
}

export class OrderNumbers implements OrderWalk {
  readonly #sources: OrderSources;
  readonly hasSkips: boolean;
  /** Orders that were recovered, and that the checkpoint may not have yet, the highest first. */
  readonly recovered: readonly number[];
  readonly #inCheckpoint: OrderWalk;

  constructor(sources: OrderSources) {
    const { epochs } = sources.engine.state;
    this.#sources = sources;
    this.hasSkips = epochs.hasSkips;
    this.recovered = this.hasSkips ? this.changed().filter((orderId) => epochs.isLost(orderId)) : [];
    this.#inCheckpoint = sources.orderIndex.recovered();
  }

  /** Orders that aren't in memory by their numbers, and have changed since the checkpoint, the highest first. */
  changed(): readonly number[] {
    return Array.from(this.#sources.engine.state.orders.changedIds()).sort((a, b) => b - a);
  }

  /** The highest order below all that memory has by their numbers. Orders above it may not be in the checkpoint. */
  get lastFolded(): number {
    const { lastOrderId, orders } = this.#sources.engine.state;
    return Math.min(lastOrderId, orders.first - 1);
  }

  /** The highest order that isn't above `orderId`; 0 when there is none. */
  atMost(orderId: number): number {
    const skip = this.#sources.engine.state.epochs.skipWith(orderId);
    if (skip === undefined) return orderId;
    const recovered = this.recovered.find((id) => id <= orderId) ?? 0;
    return Math.max(skip.lastOrderId, recovered, this.#inCheckpoint.atMost(orderId));
  }

  /** The first order that was made at `timeMs` or later, or one past the newest: orders are made in the order of time. */
  firstFrom(timeMs: number): number {
    const { engine, history } = this.#sources;
    let low = 1;
    let high = engine.state.lastOrderId + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const nearest = this.atMost(middle);
      if ((orderOf(engine.state, history, nearest)?.createdAtMs ?? 0) < timeMs) low = middle + 1;
      else high = nearest;
    }
    return low;
  }
}

/** The walk, and these orders besides, the highest first; asked from above. */
export function withThese(walk: OrderWalk, orders: readonly number[]): OrderWalk {
  if (orders.length === 0) return walk;
  let at = 0;
  return {
    atMost: (orderId) => {
      while (at < orders.length && (orders[at] ?? 0) > orderId) at += 1;
      return Math.max(orders[at] ?? 0, walk.atMost(orderId));
    },
  };
}
