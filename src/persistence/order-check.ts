/**
 * Holds the checkpoint's orders against the journal's, as `purser verify` replays it: each must be what the
 * last fact about it made of it.
 *
 * Orders change, and the replay doesn't know yet which fact is the last. So it remembers the orders that the
 * checkpoint has otherwise than the facts so far, and in the end there must be none: memory is for orders that
 * are on their way between two facts, not for all that ever changed.
 */
import type { Order } from '../engine/orders.ts';
import { DamagedDataError } from './codec/byte-reader.ts';
import { sameFields } from './same-fields.ts';

export class OrderCheck {
  readonly #unsettled = new Set<number>();

  /** `order` is what a fact made of it, `found` what the checkpoint has. */
  add(order: Order, found: Order | undefined): void {
    if (found !== undefined && sameFields(order, found)) this.#unsettled.delete(order.orderId);
    else this.#unsettled.add(order.orderId);
  }

  /** Throws `DamagedDataError` when an order is not as its last fact says. */
  finish(): void {
    for (const orderId of this.#unsettled) {
      throw new DamagedDataError(`order ${orderId} is not in the checkpoint as the journal has it`);
    }
  }
}
