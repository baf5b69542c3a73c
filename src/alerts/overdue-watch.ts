/**
 * Deliveries by hand that take too long: orders that are `pending_delivery` and older than `--manual-overdue`, and wait
 * for no supplier.
 *
 * One alert for all, with their number and the first of them. The alert is repeated when another order has become
 * overdue, at most once an hour, and ends when none is. Orders are numbered as time goes, so the list is read from its
 * beginning and only as far as orders are overdue; in slices, and no further than a thousand. A look that suppliers'
 * orders use up before its end says nothing is over.
 */

import { type History, orderOf } from '../engine/decide/history.ts';
import type { State } from '../engine/state.ts';
import { ownTick } from '../shared/event-loop.ts';
import type { Watcher } from './alert-watch.ts';
import { NODE, type Say, type StandingAlerts } from './standing-alerts.ts';

/** Counted. */
export const MAX_OVERDUE = 1_000;
/** Looked at before purchases have their turn: a look reads a row of the checkpoint. */
const ORDERS_PER_SLICE = 64;
/** Looked at at all, suppliers' included. */
export const MOST_LOOKS = 20_000;
const REPEAT_MS = 3_600_000;
/** Between two looks; or a quarter of the limit, if that is less. */
const LOOK_MS = 60_000;

export interface OverdueWatchOptions {
  readonly standing: StandingAlerts;
  readonly engine: { readonly state: State };
  readonly history: History;
  /** Orders of the checkpoint that are `pending_delivery`, from one on, the lowest first. */
  readonly pendingOrders: (from: number) => IterableIterator<number>;
  /** `--manual-overdue`. */
  readonly limitMs: number;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
}

interface Overdue {
  /** Whether all that are overdue were looked at, or as many as are counted. */
  isWhole: boolean;
  count: number;
  oldest: number | null;
  newest: number;
}

export class OverdueWatch implements Watcher {
  readonly #options: OverdueWatchOptions;
  /** The times of the next look and of the last alert, by `monotonicMs`. */
  #nextLookMs = Number.NEGATIVE_INFINITY;
  #alertedAtMs = Number.NEGATIVE_INFINITY;
  /** The newest order of those that were told. */
  #alertedNewest = 0;

  constructor(options: OverdueWatchOptions) {
    this.#options = options;
  }

  async look(stopped: AbortSignal): Promise<void> {
    const { standing, limitMs, clock, monotonicMs } = this.#options;
    const nowMs = monotonicMs();
    if (nowMs < this.#nextLookMs) return;
    this.#nextLookMs = nowMs + Math.min(LOOK_MS, limitMs / 4);
    const overdue = await this.#overdue(clock() - limitMs, stopped);
    if (overdue === undefined) return;
    const say = this.#say(overdue);
    if (overdue.count === 0) {
      if (overdue.isWhole) standing.end('DELIVERY_OVERDUE', NODE, say);
      return;
    }
    const isNews = overdue.newest > this.#alertedNewest && nowMs - this.#alertedAtMs >= REPEAT_MS;
    if (standing.isFiring('DELIVERY_OVERDUE') && !isNews) return;
    standing.repeat('DELIVERY_OVERDUE', NODE, say);
    this.#alertedAtMs = nowMs;
    this.#alertedNewest = overdue.newest;
  }

  /** Made before then; undefined when the node stops. */
  async #overdue(beforeMs: number, stopped: AbortSignal): Promise<Overdue | undefined> {
    const found: Overdue = { isWhole: false, count: 0, oldest: null, newest: 0 };
    let from = 1;
    for (let looks = 0; looks < MOST_LOOKS; looks += ORDERS_PER_SLICE) {
      if (stopped.aborted) return undefined;
      const next = this.#slice(found, from, beforeMs);
      if (next === undefined) return { ...found, isWhole: true };
      from = next;
      await ownTick();
    }
    return found;
  }

  /** Where to go on, or undefined when there is nothing more to count. */
  #slice(found: Overdue, from: number, beforeMs: number): number | undefined {
    const { engine, history, pendingOrders } = this.#options;
    let looks = 0;
    for (const orderId of pendingOrders(from)) {
      if (looks === ORDERS_PER_SLICE) return orderId;
      looks += 1;
      // A supplier's, of which its own watch tells.
      if (engine.state.supplierPurchases.ofOrder(orderId) !== undefined) continue;
      const order = orderOf(engine.state, history, orderId);
      if (order === undefined || order.status !== 'pending_delivery') continue;
      if (order.createdAtMs > beforeMs || found.count === MAX_OVERDUE) return undefined;
      found.count += 1;
      found.oldest ??= orderId;
      found.newest = orderId;
    }
    return undefined;
  }

  #say({ count, oldest }: Overdue): Say<'DELIVERY_OVERDUE'> {
    const number = count === MAX_OVERDUE ? `${count} or more` : String(count);
    const message =
      count === 0
        ? 'No delivery by hand is overdue.'
        : `Deliveries by hand that are overdue: ${number}, the oldest is order ${oldest}. See purser order list --status pending_delivery.`;
    return () => ({ message, fields: { orders: count, oldestOrderId: oldest } });
  }
}
