/**
 * Holds the checkpoint's orders against the journal's, as `purser verify` replays it: each must be what the
 * last fact about it made of it.
 *
 * Orders change, and the replay doesn't know yet which fact is the last. So it remembers the orders that the
 * checkpoint has otherwise than the facts so far, and in the end there must be none: memory is for orders that
 * are on their way between two facts, not for all that ever changed.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Order } from '../engine/orders.ts';
import { DamagedDataError } from './codec/byte-reader.ts';

export class OrderCheck {
  readonly #different = new Set<number>();

  /** `order` is what a fact made of it, `found` what the checkpoint has. */
  add(order: Order, found: Order | undefined): void {
    if (isDeepStrictEqual(order, found)) this.#different.delete(order.orderId);
    else this.#different.add(order.orderId);
  }

  /** Throws `DamagedDataError` when an order is not as its last fact says. */
  finish(): void {
    for (const orderId of this.#different) {
      throw new DamagedDataError(`order ${orderId} is not in the checkpoint as the journal has it`);
    }
  }
}
