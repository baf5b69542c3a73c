/**
 * Facts after a restore: the epoch that begins, and what becomes of the orders, the money and the items of the gap
 * before it. They are rows of `fact.ts`, and its invariants are theirs.
 *
 * Invariant: a recovered order has its number, its key and its items from the gap, and never another's; what the wallet
 * can't pay for it is a debit that waits, and no money is made up.
 */
import type { ItemRange } from '../item-ranges.ts';
import type { LotLabel } from '../lots.ts';
import type { Order } from '../orders.ts';
import type { TakenAway } from '../taken-away.ts';
import type { Fork, NextIds, OrderSkip } from './epochs.ts';
import type { OutstandingItems } from './outstanding-items.ts';

export interface RecoveryFacts {
  /** A restore: what follows is another history than that which the epoch before may have behind the fork. */
  EpochBegun: {
    epoch: number;
    fork: Fork;
    /** The period that may be lost: all since `fromMs`, in Unix milliseconds. Null when the source was complete. */
    gap: (OrderSkip & { readonly fromMs: number }) | null;
    /** Numbers go on with these, behind those that the gap may have used. */
    next: NextIds;
    /** Rights and prices that the source's facts behind the fork took away; absent when it has none, and then nobody knows. */
    takenAway?: TakenAway;
  };
  /**
   * An order of a gap, under its number and with its key; or the gap's payment for an order that was there unpaid. The
   * order delivers a file, texts that are kept under its id and were on disk before, or nothing that is known: then it
   * is pending.
   */
  OrderRecovered: {
    order: Order;
    /** The items of own stock that the order had taken, ascending: off the shelf from now on, wherever they were. */
    items: readonly ItemRange[];
    /** The order's total, in micro-USDT, if the wallet has so much; else 0. */
    debitMicros: number;
    /** The order's total, in micro-USDT, if the wallet hasn't so much: the debit waits. Else 0. */
    waitingMicros: number;
    /** The wallet after that; `order` has what it held at the time of the purchase. */
    balanceMicros: number;
    /** The items that the order delivered and that aren't there. */
    outstanding?: OutstandingItems;
  };
  /**
   * A receipt says more of an order than was known, or more of its items were found: the order is completed, or items
   * stand in some of its places that replaced others in the gap (the last of its adjustments). No money moved.
   */
  OrderAmended: {
    order: Order;
    /** As of `OrderRecovered`. */
    items: readonly ItemRange[];
    /** There when this completes the order, with texts that were on disk before. */
    delivers?: true;
    /** The items that the order delivered and that aren't there, from now on; absent when nothing is missing. */
    outstanding?: OutstandingItems;
  };
  /** The wallet has the money now for which the debit of a recovered order waited. */
  DebitSettled: {
    orderId: number;
    accountId: number;
    productId: number;
    amountMicros: number;
    /** The wallet after that, in micro-USDT. */
    balanceMicros: number;
  };
  /** Items that were for sale, and may have been sold in the gap, are set aside. */
  ItemsQuarantined: { productId: number; ranges: readonly ItemRange[] };
  /** Items of the quarantine that no recovered order has claimed leave it. */
  QuarantineEnded: {
    productId: number;
    ranges: readonly ItemRange[];
    /**
     * The way in which the items are for sale again: in place, under their numbers, or as these new items, whose texts
     * were on disk before. Null: they are withdrawn.
     */
    released:
      | 'inPlace'
      | {
          readonly firstItem: number;
          readonly count: number;
          readonly lot: LotLabel & { readonly lotId: number };
        }
      | null;
  };
  /** The gap is closed as far as the operator wants it. */
  SalesOpened: Record<never, never>;
}
