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

export interface BalanceLowEvent extends EventEnvelope {
  readonly type: 'balance.low';
  readonly balanceUsdt: number;
  readonly thresholdUsdt: number;
}

/**
 * The events that are known today. A later server may send other types: leave those to the default of your `switch`.
 */
export type WebhookEvent = OrderEvent | ProductsEvent | BalanceLowEvent;
