/**
 * The events that a fact gives by itself (SPEC.md §6): of which accounts, and what they say.
 *
 * Invariant: they depend on nothing but the fact, so whoever reads it again, from wherever, has the same events, and nobody
 * keeps a second copy of them. Events of catalog and stock are others: they are told in groups, and follow from many facts.
 * One fact gives each type once at most, in the order of their numbers (`event-row.ts`).
 */
import { refundedMicros } from '../adjustments.ts';
import type { Fact } from '../fact.ts';
import type { Order } from '../orders.ts';
import type { WebhookEventType } from '../webhook.ts';

/** The type of an event, and what it says, besides its id. */
export type OwnContent =
  | { readonly type: 'order.completed' | 'order.failed'; readonly orderId: number }
  /** This refund, and all refunds of the order so far. */
  | {
      readonly type: 'order.refunded';
      readonly orderId: number;
      readonly amountMicros: number;
      readonly refundedMicros: number;
    }
  /** The places of the order, which begin at 0, ascending. */
  | { readonly type: 'order.items_replaced'; readonly orderId: number; readonly items: readonly number[] }
  | {
      readonly type: 'balance.credited';
      readonly amountMicros: number;
      readonly balanceMicros: number;
      readonly reference: string;
    }
  | { readonly type: 'balance.low'; readonly balanceMicros: number; readonly thresholdUsdt: number };

export type OwnEventType = OwnContent['type'];
/** Types of events that are told in groups. */
export type GroupType = Exclude<WebhookEventType, OwnEventType>;

export interface OwnEvent {
  readonly accountId: number;
  readonly content: OwnContent;
}

const NONE: readonly OwnEvent[] = [];

export function ownEventsOf(fact: Fact): readonly OwnEvent[] {
  switch (fact.kind) {
    case 'OrderPlaced':
    case 'OrderPaid':
    case 'HoldCaptured':
      return soldEvents(fact.order, fact.thresholdUsdt);
    case 'OrderDelivered':
      return [ofOrder('order.completed', fact.order)];
    case 'OrderFailed':
      return [ofOrder('order.failed', fact.order)];
    case 'OrderRefunded': {
      const { amountMicros, order } = fact;
      const { accountId, orderId, adjustments } = order;
      const refunded = { amountMicros, refundedMicros: refundedMicros(adjustments) };
      return [{ accountId, content: { type: 'order.refunded', orderId, ...refunded } }];
    }
    case 'OrderItemsReplaced': {
      const { accountId, orderId } = fact.order;
      return [{ accountId, content: { type: 'order.items_replaced', orderId, items: fact.items } }];
    }
    case 'WalletCredited': {
      const { accountId, amountMicros, balanceAfterMicros: balanceMicros, reference } = fact.credit;
      if (amountMicros <= 0) return NONE;
      return [{ accountId, content: { type: 'balance.credited', amountMicros, balanceMicros, reference } }];
    }
    // The buyer was told of orders of a gap (`OrderRecovered`, `OrderAmended`) before they were lost.
    default:
      return NONE;
  }
}

function soldEvents(order: Order, thresholdUsdt: number | undefined): readonly OwnEvent[] {
  const { accountId, status, balanceAfterMicros: balanceMicros } = order;
  const completed = status === 'completed' ? [ofOrder('order.completed', order)] : NONE;
  if (thresholdUsdt === undefined) return completed;
  return [...completed, { accountId, content: { type: 'balance.low', balanceMicros, thresholdUsdt } }];
}

function ofOrder(type: 'order.completed' | 'order.failed', { accountId, orderId }: Order): OwnEvent {
  return { accountId, content: { type, orderId } };
}
