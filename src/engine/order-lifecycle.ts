/**
 * Every way an order can go, in one table (SPEC.md §3, and what SPEC.md leaves open).
 *
 * `decide` refuses what isn't in it, `apply` stops the process over it, and docs/orders.md prints it, which a
 * test holds. Each row names the fact that makes the step, so consumers of facts (events, statements) know
 * from the fact's kind alone what happened. Rejected: a method per status, where no place shows all of it.
 */
import type { OrderStatus } from './orders.ts';

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
    condition: 'a supplier delivers it, now or later',
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
    to: 'failed',
    fact: 'OrderCancelled',
    trigger: '`POST /orders/{id}/fail`',
    condition: '',
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
