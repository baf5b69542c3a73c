/**
 * The alerts for the service team: their kinds, and what each says.
 *
 * A kind belongs to one class: `buyer` is what a single buyer did or missed, `operations` what concerns the node and
 * the shop as a whole. The classes never share room, in the log or in a post: however many requests are refused, an
 * alert of a full disk gets through.
 *
 * Some kinds are states, which begin and end (`standing-alerts.ts`); the others are events.
 */

export const ALERT_CLASSES = ['operations', 'buyer'] as const;
export type AlertClass = (typeof ALERT_CLASSES)[number];

/** The statuses that raise an alert, each with its code (SPEC.md §7). */
export const ALERT_ERRORS = { 400: 'BAD_REQUEST', 401: 'UNAUTHORIZED', 429: 'RATE_LIMITED' } as const;

export type AlertStatus = keyof typeof ALERT_ERRORS;

interface Kind {
  readonly class: AlertClass;
  /** The text of its line in the log. */
  readonly line: string;
}

/** The first three are errors of the API. Buyers never get the others. */
const EVENT_KINDS = {
  BAD_REQUEST: { class: 'buyer', line: 'a request was refused' },
  UNAUTHORIZED: { class: 'buyer', line: 'a request was refused' },
  RATE_LIMITED: { class: 'buyer', line: 'a request was refused' },
  ADDRESS_NOT_ALLOWED: { class: 'buyer', line: 'a valid key came from where it is not allowed' },
  WEBHOOK_EVENT_DISCARDED: { class: 'buyer', line: 'a webhook event was discarded' },
  LATE_DELIVERY: { class: 'operations', line: 'a supplier delivered a purchase that had failed' },
  SUPPLIER_CONTRADICTION: {
    class: 'operations',
    line: 'a supplier says something else of a purchase than when it had delivered it',
  },
} as const satisfies Record<string, Kind>;

/** Kinds of states. A kind that there may be once for each product comes last. */
const STATE_KINDS = {
  SALES_CLOSED: { class: 'operations', line: 'sales are closed after a restore' },
  DISK_LOW: { class: 'operations', line: 'the disk is nearly full' },
  DISK_FULL: { class: 'operations', line: 'the disk is full' },
  CHECKPOINT_BEHIND: { class: 'operations', line: 'the checkpoint is behind' },
  OUTBOX_BEHIND: { class: 'operations', line: 'webhook deliveries are behind' },
  BACKUP_ALTERED: { class: 'operations', line: 'objects of the backup are not what the shop wrote' },
  BACKUP_BEHIND: { class: 'operations', line: 'the backup is behind' },
  BACKUP_DRILL: { class: 'operations', line: 'a drill of the backup failed, or is overdue' },
  BACKUP_STOPPED: { class: 'operations', line: 'nothing is backed up any more' },
  LOG_LOST: { class: 'operations', line: 'PostgreSQL has lost entries of the log' },
  DELIVERY_OVERDUE: { class: 'operations', line: 'deliveries by hand are overdue' },
  SUPPLIER_CIRCUIT_OPEN: { class: 'operations', line: 'a supplier does not answer' },
  SUPPLIER_PURCHASES_OPEN: { class: 'operations', line: 'a supplier has many open purchases' },
  DEPOSIT_UNCLAIMED: { class: 'operations', line: 'transfers wait for somebody to assign them' },
  DEPOSITS_SILENT: { class: 'operations', line: 'nothing is heard of a watcher of deposits' },
  STOCK_LOW: { class: 'operations', line: "a product's stock is low" },
} as const satisfies Record<keyof StateFields, Kind>;

export const ALERT_KINDS = { ...EVENT_KINDS, ...STATE_KINDS };
export type AlertError = keyof typeof ALERT_KINDS;
export type StateError = keyof typeof STATE_KINDS;
export const STATE_ERRORS = Object.keys(STATE_KINDS) as StateError[];

/** A request that was refused. */
export interface RefusedRequest {
  readonly requestId: string;
  readonly status: AlertStatus;
  /** The error's text for people. */
  readonly message: string;
  readonly method: string;
  readonly path: string;
  /** The account of a valid key. */
  readonly accountId?: number;
  /** The client's, when the key opens nothing from there. */
  readonly address?: string;
}

/** A request with a valid key from outside the networks that its account allows. Its answer is that of a wrong key. */
export interface MisplacedKey extends RefusedRequest {
  readonly accountId: number;
  readonly address: string;
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

/** A supplier's report that was refused: it had delivered the purchase before, and says now that it failed, or other items. */
export interface ContraryReport {
  readonly supplierId: number;
  readonly reference: string;
  readonly productId: number;
  /** Number of items that it says it delivered; 0 when it says that the purchase failed. */
  readonly itemsDelivered: number;
}

/** An event whose last attempt failed, or that waited too long for its first. */
export interface DiscardedEvent {
  /** The request id of the last delivery, `X-Request-Id`. */
  readonly requestId: string;
  readonly accountId: number;
  readonly eventId: string;
  /** `order.completed` and so on. */
  readonly type: string;
}

/** Fields of a state's alert, as they are when it is told. */
export interface StateFields {
  /** The period that may be missing, in Unix milliseconds; null when sales are open. */
  SALES_CLOSED: { readonly gap: { readonly from: number; readonly to: number } | null };
  DISK_LOW: DiskSpace;
  DISK_FULL: DiskSpace;
  /** Facts that aren't in the checkpoint, and for how long the oldest of them hasn't been, about. */
  CHECKPOINT_BEHIND: { readonly facts: number; readonly behindMs: number };
  /** For how long the event that waits longest could have been attempted. */
  OUTBOX_BEHIND: { readonly behindMs: number };
  /** Names of objects at the target, ten at most; none when it is over. */
  BACKUP_ALTERED: { readonly objects: readonly string[] };
  /** For how long the oldest fact that isn't in the backup has been missing, about. */
  BACKUP_BEHIND: { readonly behindMs: number };
  /** The last one; null before the first. */
  BACKUP_DRILL: {
    readonly drill: {
      readonly ok: boolean;
      readonly at: number;
      readonly position: { readonly seq: number; readonly hash: string } | null;
      readonly error?: string;
    } | null;
  };
  /** `fenced`: another node ships to the target; `failed`: the data folder can't be read. */
  BACKUP_STOPPED: { readonly reason: 'fenced' | 'failed' };
  /** The last entry of the log that the node's folder has, and its term; host, port and timeline of the server that was read. */
  LOG_LOST: { readonly entry: number; readonly term: number; readonly server: string };
  STOCK_LOW: {
    readonly productId: number;
    readonly availableStock: number | 'unlimited';
    /** Null once the product has none any more. */
    readonly lowStock: number | null;
    /** How long that lasts if it sells as in the last day; null when that isn't known (`sales-pace.ts`). */
    readonly hoursOfCover: number | null;
  };
  /** How many wait too long, at most `MAX_OVERDUE`, and the first of them; null when none does. */
  DELIVERY_OVERDUE: { readonly orders: number; readonly oldestOrderId: number | null };
  /** How many wait, and the reference of the oldest; null when none does. */
  DEPOSIT_UNCLAIMED: { readonly transfers: number; readonly oldestReference: string | null };
  /** For how long. */
  DEPOSITS_SILENT: { readonly silentMs: number };
  SUPPLIER_CIRCUIT_OPEN: { readonly supplierId: number };
  /** How many it leaves open: promised and not delivered, or unresolved. */
  SUPPLIER_PURCHASES_OPEN: { readonly supplierId: number; readonly open: number };
}

/** Space on the disk that has the data folder, for users who aren't root. */
interface DiskSpace {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export type AlertState = 'firing' | 'resolved';

interface AnyAlert {
  readonly class: AlertClass;
  readonly error: AlertError;
  /** For people. */
  readonly message: string;
  /** Unix milliseconds. */
  readonly at: number;
}

export type RefusalAlert = AnyAlert & RefusedRequest;
export type LateDeliveryAlert = AnyAlert & LateDelivery;
export type ContraryReportAlert = AnyAlert & ContraryReport;
export type DiscardAlert = AnyAlert & DiscardedEvent;
export type StateAlert<Kind extends StateError = StateError> = AnyAlert & {
  readonly state: AlertState;
} & StateFields[Kind];
/** A state that goes on, as it is now; `since` is when it began, in Unix milliseconds. */
export type FiringState = Omit<AnyAlert, 'error' | 'at'> & {
  readonly error: StateError;
  readonly since: number;
} & StateFields[StateError];
export type Alert = RefusalAlert | LateDeliveryAlert | ContraryReportAlert | DiscardAlert | StateAlert;
