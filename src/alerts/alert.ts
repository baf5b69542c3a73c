/** What the service team is told of: each kind of alert, and what it says. */

/** The statuses that raise an alert, each with its code (SPEC.md §7). */
export const ALERT_ERRORS = { 400: 'BAD_REQUEST', 401: 'UNAUTHORIZED', 429: 'RATE_LIMITED' } as const;

export type AlertStatus = keyof typeof ALERT_ERRORS;
/** What else an alert is about; no errors of the API, and no buyer ever gets them. */
export const EVENT_DISCARDED = 'WEBHOOK_EVENT_DISCARDED';
export const LATE_DELIVERY = 'LATE_DELIVERY';
export const SUPPLIER_PURCHASES_OPEN = 'SUPPLIER_PURCHASES_OPEN';

export type AlertError =
  | (typeof ALERT_ERRORS)[AlertStatus]
  | typeof EVENT_DISCARDED
  | typeof LATE_DELIVERY
  | typeof SUPPLIER_PURCHASES_OPEN;

/** A request that was refused, and what is known of it. */
export interface RefusedRequest {
  readonly requestId: string;
  readonly status: AlertStatus;
  /** The error's text for people. */
  readonly message: string;
  readonly method: string;
  readonly path: string;
  /** Whose key it was, when it was somebody's. */
  readonly accountId?: number;
  /** The client's, when the key was nobody's. */
  readonly address?: string;
}

/**
 * What a supplier delivered though its purchase had failed: nobody paid for it, and what can be sold
 * entered own stock.
 */
export interface LateDelivery {
  readonly supplierId: number;
  /** What the supplier knows the purchase by. */
  readonly reference: string;
  readonly productId: number;
  /** How many it delivered. */
  readonly itemsDelivered: number;
  /** How many of them entered own stock: the others were duplicates, or can't be sold. */
  readonly items: number;
}

/** A supplier that leaves many purchases open: promised and not delivered, or never told of. */
export interface OpenSupplierPurchases {
  readonly supplierId: number;
  /** How many. */
  readonly open: number;
}

/** An event whose last attempt failed, or that was never attempted for too long. */
export interface DiscardedEvent {
  /** Of its last delivery: `X-Request-Id`. */
  readonly requestId: string;
  readonly accountId: number;
  readonly eventId: string;
  /** `order.completed` and so on. */
  readonly type: string;
}

interface AnyAlert {
  readonly error: AlertError;
  /** For people. */
  readonly message: string;
  /** Unix milliseconds. */
  readonly at: number;
}

export type RefusalAlert = AnyAlert & RefusedRequest;
export type LateDeliveryAlert = AnyAlert & LateDelivery;
export type OpenSupplierPurchasesAlert = AnyAlert & OpenSupplierPurchases;
export type DiscardAlert = AnyAlert & DiscardedEvent;
export type Alert = RefusalAlert | LateDeliveryAlert | OpenSupplierPurchasesAlert | DiscardAlert;
