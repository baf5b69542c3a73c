/**
 * Every way an order can go, and every way of a purchase at a supplier, each in one table (SPEC.md §2, §3, §4, and what
 * SPEC.md leaves open). The cause of each step, and what else happens with it, are in docs/orders.md, whose tables a
 * test holds to these.
 *
 * `decide` refuses a step that isn't in them, and `apply` stops the process over it. Steps are listed by the fact that
 * makes them, so consumers of facts (events, statements) know from the fact's kind alone what happened. Rejected: a
 * method per status, where no place shows all of it.
 */
import type { OrderStatus } from './orders.ts';
import type { SupplierPurchasePhase } from './supplying/supplier-purchases.ts';

/** From and to. Null is none: before the first step, and after the last. */
export type Step<Status> = readonly [from: Status | null, to: Status | null];

export const ORDER_STEPS = {
  OrderPlaced: [
    [null, 'completed'],
    [null, 'pending_delivery'],
  ],
  HoldCaptured: [
    [null, 'pending_delivery'],
    ['processing', 'pending_delivery'],
  ],
  OrderOpened: [[null, 'processing']],
  OrderPaid: [
    ['processing', 'completed'],
    ['processing', 'pending_delivery'],
  ],
  OrderDelivered: [['pending_delivery', 'completed']],
  OrderCancelled: [['processing', 'failed']],
  OrderFailed: [['pending_delivery', 'failed']],
  OrderRefunded: [
    ['pending_delivery', 'refunded'],
    ['completed', 'refunded'],
    ['pending_delivery', 'pending_delivery'],
    ['completed', 'completed'],
  ],
  OrderItemsReplaced: [['completed', 'completed']],
  OrderRecovered: [
    [null, 'completed'],
    [null, 'pending_delivery'],
    ['processing', 'completed'],
    ['processing', 'pending_delivery'],
  ],
  OrderAmended: [
    ['pending_delivery', 'completed'],
    ['pending_delivery', 'pending_delivery'],
    ['completed', 'completed'],
    ['refunded', 'refunded'],
    ['failed', 'failed'],
  ],
} satisfies Readonly<Record<string, readonly Step<OrderStatus>[]>>;

export type OrderFactKind = keyof typeof ORDER_STEPS;

/** Whether an order that is `from` may become `to` by this fact. */
export function isAllowed(from: OrderStatus | null, fact: OrderFactKind, to: OrderStatus): boolean {
  return has(ORDER_STEPS[fact], from, to);
}

export const SUPPLIER_PURCHASE_STEPS = {
  HoldPlaced: [[null, 'held']],
  HoldCaptured: [['held', 'pending']],
  HoldPassed: [
    ['held', null],
    [null, 'held'],
  ],
  HoldReleased: [
    ['held', null],
    ['held', 'unresolved'],
  ],
  OrderDelivered: [
    ['pending', null],
    ['pending', 'unresolved'],
  ],
  OrderFailed: [
    ['pending', null],
    ['pending', 'unresolved'],
  ],
  OrderRefunded: [['pending', 'unresolved']],
  SupplierPurchaseReconciled: [
    ['unresolved', null],
    // Its supplier had said that it sold nothing, and delivers after all.
    [null, null],
  ],
} satisfies Readonly<Record<string, readonly Step<SupplierPurchasePhase>[]>>;

export type SupplierPurchaseFactKind = keyof typeof SUPPLIER_PURCHASE_STEPS;

/** Whether a supplier purchase that is `from` may become `to` by this fact. */
export function isSupplierPurchaseAllowed(
  from: SupplierPurchasePhase | null,
  fact: SupplierPurchaseFactKind,
  to: SupplierPurchasePhase | null,
): boolean {
  return has(SUPPLIER_PURCHASE_STEPS[fact], from, to);
}

function has<Status>(steps: readonly Step<Status>[], from: Status | null, to: Status | null): boolean {
  return steps.some(([before, after]) => before === from && after === to);
}
