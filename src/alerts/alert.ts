/** The alerts for the service team: their kinds, and what each says. */

/** The statuses that raise an alert, each with its code (SPEC.md §7). */
export const ALERT_ERRORS = { 400: 'BAD_REQUEST', 401: 'UNAUTHORIZED', 429: 'RATE_LIMITED' } as const;

export type AlertStatus = keyof typeof ALERT_ERRORS;

/** Each kind with its line in the log. The last three are no errors of the API: buyers never get them. */
export const LOG_LINES = {
  BAD_REQUEST: 'a request was refused',
  UNAUTHORIZED: 'a request was refused',
  RATE_LIMITED: 'a request was refused',
  LATE_DELIVERY: 'a supplier delivered a purchase that had failed',
  SUPPLIER_PURCHASES_OPEN: 'a supplier has many open purchases',
  WEBHOOK_EVENT_DISCARDED: 'a webhook event was discarded',
} as const;

export type AlertError = keyof typeof LOG_LINES;

/** A request that was refused. */
export interface RefusedRequest {
  readonly requestId: string;
  readonly status: AlertStatus;
  /** The error's text for people. */
  readonly message: string;
  readonly method: string;
  readonly path: string;
  /** Of a valid key. */
  readonly accountId?: number;
  /** The client's, when the key is not valid. */
  readonly address?: string;
}

/** A supplier delivered a purchase that had failed: nobody paid for it, and what can be sold entered own stock. */
export interface LateDelivery {
  readonly supplierId: number;
  /** The reference that was sent to the supplier. */
  readonly reference: string;
  readonly productId: number;
  /** Number of items that it delivered. */
  readonly itemsDelivered: number;
  /** Number of these that entered own stock; the others were duplicates, or can't be sold. */
  readonly items: number;
}

/** A supplier that leaves many purchases open: promised and not delivered, or unresolved. */
export interface OpenSupplierPurchases {
  readonly supplierId: number;
  /** Number of purchases. */
  readonly open: number;
}

/** An event whose last attempt failed, or that waited too long for its first. */
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
