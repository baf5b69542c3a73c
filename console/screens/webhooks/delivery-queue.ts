/**
 * The orders that wait for a person, oldest first. The API lists the newest first, and has no list of those that no
 * supplier works at: so all that are pending are read once, those with a purchase that is open at a supplier are counted
 * and left out, and the oldest are kept.
 *
 * Invariant: a queue is one page at most, and after the first time only the orders up to its newest are asked for
 * again, however many wait. Orders that have left the queue elsewhere are gone from it with the next answer.
 */
import type { AnswerOf, Schema } from '../../api/call-types.ts';
import { call } from '../../api/operator-api.ts';

export type WaitingOrder = Schema<'Order'>;

export interface Queue {
  readonly orders: readonly WaitingOrder[];
  /** Whether further, newer ones wait. */
  readonly isCut: boolean;
  /** Pending orders that a supplier still works at, of those that were looked at. */
  readonly atSuppliers: number;
}

const PAGE_ROWS = 1_000;
/** A million orders. Nobody has as many to deliver by hand. */
const MOST_PAGES = 1_000;
/** When fewer are left of those that are kept, all are read anew. */
const FEW = 200;
/** How long a long list of purchases at suppliers serves. */
const LONG_FOR_MS = 15_000;

/** Asks for the queue again and again; knows from the last time where it ends. */
export class DeliveryQueue {
  /** The time of the newest order that is kept, when there are newer ones. */
  #endsAtMs: number | undefined;
  #atSuppliers: AtSuppliers | undefined;

  async load(signal: AbortSignal): Promise<Queue> {
    const queue = await this.#read(signal);
    if (!queue.isCut || queue.orders.length >= FEW) return queue;
    this.#endsAtMs = undefined;
    return await this.#read(signal);
  }

  async #read(signal: AbortSignal): Promise<Queue> {
    const { orderIds } = await this.#ordersAtSuppliers(signal);
    let kept: readonly WaitingOrder[] = [];
    let atSuppliers = 0;
    let cursor: string | undefined;
    const to = this.#endsAtMs === undefined ? undefined : String(this.#endsAtMs + 1);
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const query = { status: 'pending_delivery', to, limit: PAGE_ROWS, cursor } as const;
      const answer: AnswerOf<'GET /orders'> = await call('GET /orders', { query, signal });
      const byHand = answer.orders.filter(({ orderId }) => !orderIds.has(orderId));
      atSuppliers += answer.orders.length - byHand.length;
      const all = [...kept, ...byHand];
      kept = all.slice(-PAGE_ROWS);
      if (kept.length < all.length) this.#endsAtMs = kept[0]?.createdAt;
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    return { orders: kept.toReversed(), isCut: this.#endsAtMs !== undefined, atSuppliers };
  }

  /** Where they are many, they are not read with each pulse. */
  async #ordersAtSuppliers(signal: AbortSignal): Promise<AtSuppliers> {
    const before = this.#atSuppliers;
    if (before?.isLong && Date.now() - before.readAtMs < LONG_FOR_MS) return before;
    const orderIds = new Set<number>();
    let cursor: string | undefined;
    let pages = 0;
    do {
      const query = { limit: PAGE_ROWS, cursor };
      const answer: AnswerOf<'GET /supplier-purchases'> = await call('GET /supplier-purchases', {
        query,
        signal,
      });
      for (const { orderId } of answer.supplierPurchases) if (orderId !== undefined) orderIds.add(orderId);
      cursor = answer.nextCursor;
      pages += 1;
    } while (cursor !== undefined && pages < MOST_PAGES);
    this.#atSuppliers = { orderIds, isLong: pages > 1, readAtMs: Date.now() };
    return this.#atSuppliers;
  }
}

interface AtSuppliers {
  readonly orderIds: ReadonlySet<number>;
  readonly isLong: boolean;
  readonly readAtMs: number;
}
