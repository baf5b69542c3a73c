/**
 * Epochs: what a restore makes of a data folder (docs/decisions/0032).
 *
 * A folder begins with epoch 1. A restore writes one `EpochBegun` behind the last fact that it restored, the fork.
 * Unless the source was complete, the shop may have done more behind the fork: the gap. Invariant: numbers that the gap
 * may have used are given to nothing new (they skip), and only an order that is proved gets one of them back; while
 * there is a gap, sales are closed. Positions behind a fork are those of the epoch before, too, so who names one names
 * the epoch. Rejected: to tell a gap by its time alone, which a clock that was set back would make too small.
 */
import type { TakenAway } from '../taken-away.ts';

/** The epoch of a folder that was never restored. */
export const FIRST_EPOCH = 1;

/** A place in the journal, from which two epochs go different ways. */
export interface Fork {
  /** The last fact that both have. */
  readonly position: number;
  /** The hash of the frame that ends there, 64 lower-case hexadecimal digits. */
  readonly hash: string;
}

/** The numbers between these two may be of orders of the gap. */
export interface OrderSkip {
  readonly lastOrderId: number;
  readonly nextOrderId: number;
}

export interface Epoch extends Fork {
  readonly epoch: number;
  readonly atMs: number;
  /** Null when nothing was lost. */
  readonly skip: OrderSkip | null;
}

/** A period of which nobody knows yet all that the shop did. Sales are closed while there is one. */
export interface Gap {
  /** When the last fact happened that was restored. */
  readonly fromMs: number;
  /** When it was restored. */
  readonly toMs: number;
  /** Rights and prices that facts of the gap took away, as far as the backup had them; absent when it had none. */
  readonly takenAway?: TakenAway;
}

/** The numbers that are given out next. */
export interface NextIds {
  readonly orderId: number;
  readonly supplierPurchaseId: number;
  readonly lotId: number;
  readonly accountId: number;
  readonly productId: number;
  readonly supplierId: number;
  readonly operatorId: number;
  readonly priceListId: number;
  readonly depositId: number;
}

export class Epochs {
  readonly #list: Epoch[] = [];

  /** Epochs that restores began, oldest first. */
  get list(): readonly Epoch[] {
    return this.#list;
  }

  get current(): number {
    return this.#list.at(-1)?.epoch ?? FIRST_EPOCH;
  }

  /** Higher than the one before. */
  add(epoch: Epoch): void {
    this.#list.push(epoch);
  }

  /** The epoch in which the fact at `position` was written. */
  at(position: number): number {
    return epochAt(this.#list, position);
  }

  /** Whether the number may be that of an order that was lost. */
  isLost(orderId: number): boolean {
    return this.skipWith(orderId) !== undefined;
  }

  /** Whether what was open at this time (Unix milliseconds) was open at a fork, too: a gap may have gone on with it. */
  wasOpenAtFork(sinceMs: number): boolean {
    const newest = this.#list.findLast(({ skip }) => skip !== null);
    return newest !== undefined && sinceMs <= newest.atMs;
  }

  get hasSkips(): boolean {
    return this.#list.some(({ skip }) => skip !== null);
  }

  /** The skip over this number; undefined when it is that of an order, or will be. */
  skipWith(orderId: number): OrderSkip | undefined {
    for (const { skip } of this.#list) {
      if (skip !== null && orderId > skip.lastOrderId && orderId < skip.nextOrderId) return skip;
    }
    return undefined;
  }

  /** The numbers from `first` to `last` without those of skips, as runs, ascending. */
  runsOf(first: number, last: number): { readonly first: number; readonly last: number }[] {
    const runs: { first: number; last: number }[] = [];
    let from = first;
    for (const { skip } of this.#list) {
      if (skip === null || skip.nextOrderId <= from) continue;
      if (skip.lastOrderId >= last) break;
      if (skip.lastOrderId >= from) runs.push({ first: from, last: skip.lastOrderId });
      from = skip.nextOrderId;
    }
    if (from <= last) runs.push({ first: from, last });
    return runs;
  }
}

/** `epochs` are in order. */
export function epochAt(epochs: readonly Epoch[], position: number): number {
  return epochs.findLast((epoch) => epoch.position < position)?.epoch ?? FIRST_EPOCH;
}

/**
 * Where the history of who is at `position` of an epoch parts from this one; undefined when it goes on here. 0 when
 * nothing is known of that epoch.
 */
export function forkBelow(epochs: readonly Epoch[], epoch: number, position: number): number | undefined {
  const isKnown = epoch === FIRST_EPOCH || epochs.some((known) => known.epoch === epoch);
  if (!isKnown) return 0;
  const next = epochs.find((later) => later.epoch > epoch);
  return next !== undefined && position > next.position ? next.position : undefined;
}
