/** Commands that close the gap of a restore, and their answers: a part of `command.ts`. */

import type { ItemRange } from '../item-ranges.ts';
import type { LotLabel } from '../lots.ts';
import type { Order } from '../orders.ts';
import type { PricedBy } from '../pricing/price-rule.ts';
import type { Gap } from './epochs.ts';
import type { OutstandingItems } from './outstanding-items.ts';
import type { RestoredKind } from './restored-rights.ts';

export interface RecoveryResult {
  /** As it is now. */
  readonly order: Order;
  /** The part of its total that waits for a credit, in micro-USDT; 0 when nothing does. */
  readonly waitingMicros: number;
  readonly replayed: boolean;
}

/** By which an order is known to deliver the same as before: its adjustments and texts are never fewer, and none changes. */
export interface ComparedOrder {
  readonly adjustments: number;
  readonly textCount: number;
}

export interface SettledDebit {
  readonly orderId: number;
  readonly accountId: number;
  readonly amountMicros: number;
  /** The wallet after that, in micro-USDT. */
  readonly balanceMicros: number;
}

export interface QuarantineResult {
  /** The items that have entered the quarantine, or left it. */
  readonly ranges: readonly ItemRange[];
  /** The own stock that is left. */
  readonly availableStock: number;
  /** How many items of the product are in quarantine from now on. */
  readonly quarantined: number;
}

/** The gap that a restore has left open. */
export interface GapResult {
  /** Null when sales are open. */
  readonly gap: Gap | null;
}

export interface RecoveryCommands {
  /**
   * An order that is proved to have been in a gap, or the payment of one that was opened before it. Repeated, it changes
   * nothing. The order is completed when it has texts or a file, else `pending_delivery`.
   */
  RecoverOrder: {
    asks: Omit<Order, 'status' | 'firstItem' | 'adjustments' | keyof PricedBy> & {
      /**
       * The items of own stock that the order took, ascending and apart from each other, also those that were replaced
       * since; empty for what no stock delivered. With texts, which are already on disk under its id, `textCount` of
       * them, these are at least as many as its quantity. Without, these are those that are known: its buyer has them,
       * and nobody else gets them.
       */
      items: readonly ItemRange[];
      /** The items that the order delivered and that aren't there. More than the product keeps is left out. */
      outstanding?: OutstandingItems | undefined;
      /** The product's end before its items were looked through for what is missing; without it, the end now. */
      searchedEnd?: number | undefined;
    };
    answer: RecoveryResult;
  };
  /** A receipt's additions to an order that is there, believed as they are. */
  AmendOrder: {
    asks: {
      orderId: number;
      accountId: number;
      productId: number;
      /** As of `RecoverOrder`: those that the order doesn't have yet. */
      items: readonly ItemRange[];
      /** How many texts are on disk under its id, to complete it with; 0 when it isn't to be completed. */
      textCount: number;
      /** Items that stand in places of the order from now on; all of them are among `items`. */
      replaced: readonly { readonly place: number; readonly item: number }[];
      /** As of `RecoverOrder`; in place of more than the product keeps stays what was outstanding before. */
      outstanding?: OutstandingItems | undefined;
      /** As of `RecoverOrder`. */
      searchedEnd?: number | undefined;
      /** The order that the receipt was compared with. An operator may have changed it since: then it is left as it is. */
      compared?: ComparedOrder | undefined;
    };
    answer: RecoveryResult;
  };
  /** Moves the money for which the debit of a recovered order waits, if the wallet has it. */
  SettleDebit: { asks: { accountId: number; orderId: number }; answer: SettledDebit };
  /** Sets the next `count` items for sale aside, or fewer: as many as there are, and at most `MAX_WITHDRAWN_RANGES` ranges. */
  QuarantineItems: { asks: { productId: number; count: number }; answer: QuarantineResult };
  /** Ends the quarantine of these items: withdraws them, or puts them on sale, where they were or as new ones. */
  EndQuarantine: {
    asks: {
      productId: number;
      /** For a release, the shop's count of recalled items when their texts were read; without it, the count now. */
      recalledItems?: number;
      /** For a release, `LostItems.outstandingChange` when their texts were compared; without it, the number now. */
      outstandingChange?: number;
      /** All of them are in quarantine. */
      ranges: readonly ItemRange[];
      /**
       * In place: all of them are `returning`. Else the number of the first new item; their texts are already on disk, in
       * the order of `ranges`. Absent: withdraws.
       */
      release?: 'inPlace' | { readonly firstItem: number; readonly label?: LotLabel };
    };
    answer: QuarantineResult;
  };
  /** Ends the gap. Repeated, it changes nothing. */
  OpenSales: {
    asks: {
      /** Kinds of restored rights of which none may be left as it was. */
      ended?: readonly RestoredKind[];
    };
    answer: GapResult;
  };
}
