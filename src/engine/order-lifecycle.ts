/**
 * Every way an order can go, and every way of a purchase at a supplier, each in one table (SPEC.md §2, §3, §4, and
 * what SPEC.md leaves open).
 *
 * `decide` refuses what isn't in them, `apply` stops the process over it, and docs/orders.md prints them, which a
 * test holds. Each row names the fact that makes the step, so consumers of facts (events, statements) know
 * from the fact's kind alone what happened. Rejected: a method per status, where no place shows all of it.
 */
import type { OrderStatus } from './orders.ts';
import type { SupplierPurchasePhase } from './supplier-purchases.ts';

export type OrderFactKind =
  | 'OrderPlaced'
  | 'HoldCaptured'
  | 'OrderOpened'
  | 'OrderPaid'
  | 'OrderDelivered'
  | 'OrderCancelled'
  | 'OrderFailed'
  | 'OrderRefunded';

export interface Transition {
  /** Null for the fact that makes the order. */
  readonly from: OrderStatus | null;
  readonly to: OrderStatus;
  readonly fact: OrderFactKind;
  /** The rest is for people. */
  readonly trigger: string;
  readonly condition: string;
  readonly effect: string;
}

const AT_ONCE = 'the product delivers immediately (items or file)';
const LATER = 'the product is delivered later (manual)';
const SUPPLIED = 'a supplier delivers it, now or later';

export const TRANSITIONS: readonly Transition[] = [
  {
    from: null,
    to: 'completed',
    fact: 'OrderPlaced',
    trigger: '`POST /orders` by the buyer',
    condition: AT_ONCE,
    effect: 'wallet debited, items taken',
  },
  {
    from: null,
    to: 'pending_delivery',
    fact: 'OrderPlaced',
    trigger: '`POST /orders` by the buyer',
    condition: LATER,
    effect: 'wallet debited',
  },
  {
    from: null,
    to: 'pending_delivery',
    fact: 'HoldCaptured',
    trigger: '`POST /orders` by the buyer',
    condition: SUPPLIED,
    effect: 'what was on hold is charged',
  },
  {
    from: null,
    to: 'processing',
    fact: 'OrderOpened',
    trigger: '`POST /orders` by the operator (an order from the bot)',
    condition: '',
    effect: 'nothing charged, nothing reserved',
  },
  {
    from: 'processing',
    to: 'completed',
    fact: 'OrderPaid',
    trigger: '`POST /orders/{id}/pay`',
    condition: AT_ONCE,
    effect: 'wallet debited at the price of this moment, items taken',
  },
  {
    from: 'processing',
    to: 'pending_delivery',
    fact: 'OrderPaid',
    trigger: '`POST /orders/{id}/pay`',
    condition: LATER,
    effect: 'wallet debited at the price of this moment',
  },
  {
    from: 'processing',
    to: 'pending_delivery',
    fact: 'HoldCaptured',
    trigger: '`POST /orders/{id}/pay`',
    condition: SUPPLIED,
    effect: 'what was on hold is charged',
  },
  {
    from: 'processing',
    to: 'failed',
    fact: 'OrderCancelled',
    trigger: '`POST /orders/{id}/fail`',
    condition: 'no supplier is being asked',
    effect: 'none: nothing had been charged',
  },
  {
    from: 'pending_delivery',
    to: 'completed',
    fact: 'OrderDelivered',
    trigger: '`POST /orders/{id}/complete`, or the supplier delivers',
    condition: '',
    effect: 'the texts given become the delivery',
  },
  {
    from: 'pending_delivery',
    to: 'failed',
    fact: 'OrderFailed',
    trigger: '`POST /orders/{id}/fail`, or the supplier cannot deliver',
    condition: '',
    effect: 'the amount returns to the wallet',
  },
  {
    from: 'pending_delivery',
    to: 'refunded',
    fact: 'OrderRefunded',
    trigger: '`POST /orders/{id}/refund`',
    condition: '',
    effect: 'the amount returns to the wallet',
  },
  {
    from: 'completed',
    to: 'refunded',
    fact: 'OrderRefunded',
    trigger: '`POST /orders/{id}/refund`',
    condition: '',
    effect: 'the amount returns to the wallet; items are not sold again',
  },
];

/** Whether an order that is `from` may become `to` by this fact. */
export function isAllowed(from: OrderStatus | null, fact: OrderFactKind, to: OrderStatus): boolean {
  return TRANSITIONS.some((row) => row.from === from && row.fact === fact && row.to === to);
}

export type SupplierPurchaseFactKind =
  | 'HoldPlaced'
  | 'HoldCaptured'
  | 'HoldReleased'
  | 'OrderDelivered'
  | 'OrderFailed'
  | 'OrderRefunded'
  | 'SupplierPurchaseReconciled';

export interface SupplierPurchaseTransition {
  /** Null for the fact that makes the supplier purchase. */
  readonly from: SupplierPurchasePhase | null;
  /** Null when it has ended. */
  readonly to: SupplierPurchasePhase | null;
  readonly fact: SupplierPurchaseFactKind;
  /** The rest is for people. */
  readonly trigger: string;
  readonly effect: string;
}

const ASKED_ON = 'the order ends without the supplier, which is asked on';

export const SUPPLIER_PURCHASE_TRANSITIONS: readonly SupplierPurchaseTransition[] = [
  {
    from: null,
    to: 'held',
    fact: 'HoldPlaced',
    trigger: '`POST /orders` by the buyer, or `POST /orders/{id}/pay`, when own stock does not suffice',
    effect: 'the amount goes from the wallet on hold; then the supplier is asked',
  },
  {
    from: 'held',
    to: 'pending',
    fact: 'HoldCaptured',
    trigger: 'the supplier delivers, or promises to',
    effect: 'what was on hold is charged',
  },
  {
    from: 'held',
    to: null,
    fact: 'HoldReleased',
    trigger: 'the supplier has no stock, or cannot be reached',
    effect: 'what was on hold returns to the wallet',
  },
  {
    from: 'held',
    to: 'unresolved',
    fact: 'HoldReleased',
    trigger:
      'the supplier fails, or answers nonsense, or not in time; or the node starts after an interruption',
    effect: 'what was on hold returns to the wallet; the supplier is asked how it went',
  },
  {
    from: 'pending',
    to: null,
    fact: 'OrderDelivered',
    trigger: 'the supplier delivers',
    effect: 'the order is completed',
  },
  {
    from: 'pending',
    to: null,
    fact: 'OrderFailed',
    trigger: 'the supplier cannot deliver, or says for ten minutes that it never heard of it',
    effect: 'the order fails',
  },
  {
    from: 'pending',
    to: 'unresolved',
    fact: 'OrderDelivered',
    trigger: '`POST /orders/{id}/complete`',
    effect: ASKED_ON,
  },
  {
    from: 'pending',
    to: 'unresolved',
    fact: 'OrderFailed',
    trigger: '`POST /orders/{id}/fail`, or the supplier delivers something else than was bought',
    effect: ASKED_ON,
  },
  {
    from: 'pending',
    to: 'unresolved',
    fact: 'OrderRefunded',
    trigger: '`POST /orders/{id}/refund`',
    effect: ASKED_ON,
  },
  {
    from: 'unresolved',
    to: null,
    fact: 'SupplierPurchaseReconciled',
    trigger: 'the supplier says how it went',
    effect: 'what it delivered enters own stock',
  },
  {
    from: 'unresolved',
    to: null,
    fact: 'SupplierPurchaseReconciled',
    trigger: '`POST /supplier-purchases/{reference}/give-up`',
    effect: 'the supplier is not asked any more',
  },
];

/** Whether a supplier purchase that is `from` may become `to` by this fact; null is no supplier purchase, before or after. */
export function isSupplierPurchaseAllowed(
  from: SupplierPurchasePhase | null,
  fact: SupplierPurchaseFactKind,
  to: SupplierPurchasePhase | null,
): boolean {
  return SUPPLIER_PURCHASE_TRANSITIONS.some((row) => row.from === from && row.fact === fact && row.to === to);
}
