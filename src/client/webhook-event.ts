/** The bodies of webhook deliveries (SPEC.md §6). */

interface EventEnvelope {
  /** `evt_…`; the same in every delivery of one event: use it to recognise repeats. */
  readonly eventId: string;
}

export interface OrderEvent extends EventEnvelope {
  readonly type: 'order.completed' | 'order.failed';
  readonly orderId: number;
}

export interface ProductsEvent extends EventEnvelope {
  readonly type: 'catalog.updated' | 'stock.changed';
  /** The latest. */
  readonly productId: number;
  readonly productIds: readonly number[];
}

export interface OrderRefundedEvent extends EventEnvelope {
  readonly type: 'order.refunded';
  readonly orderId: number;
  /** This refund alone. */
  readonly refundedUsdt: number;
  readonly totalRefundedUsdt: number;
}

export interface OrderItemsReplacedEvent extends EventEnvelope {
  readonly type: 'order.items_replaced';
  readonly orderId: number;
  /** The places of the order's items that are new; the first is 0. */
  readonly items: readonly number[];
}

export interface BalanceCreditedEvent extends EventEnvelope {
  readonly type: 'balance.credited';
  readonly amountUsdt: number;
  /** The balance right after it. */
  readonly balanceUsdt: number;
  readonly reference: string;
}

export interface BalanceLowEvent extends EventEnvelope {
  readonly type: 'balance.low';
  readonly balanceUsdt: number;
  readonly thresholdUsdt: number;
}

/**
 * The events that are known today. A later server may send other types: leave those to the default of your `switch`.
 */
export type WebhookEvent =
  | OrderEvent
  | OrderRefundedEvent
  | OrderItemsReplacedEvent
  | BalanceCreditedEvent
  | BalanceLowEvent
  | ProductsEvent;

/** An event of `events()`: what a webhook is told, and when it happened. */
export type ReadEvent = WebhookEvent & {
  /** Unix milliseconds, UTC. */
  readonly createdAt: number;
};
