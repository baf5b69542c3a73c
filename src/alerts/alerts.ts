/**
 * Tells the service team of requests that were refused as wrong, unknown or too many (SPEC.md §5), and of
 * suppliers that delivered after all: a counter for every one, a log line for as many as a log can bear, and a
 * POST where one is wanted.
 *
 * `raise` is called while an answer is on its way, so it does no I/O of its own beyond a line in the log.
 */
import type { AlertLog } from './alert-log.ts';
import type { AlertPost } from './alert-post.ts';

/** The statuses that raise an alert, each with its code (SPEC.md §7). */
export const ALERT_ERRORS = { 400: 'BAD_REQUEST', 401: 'UNAUTHORIZED', 429: 'RATE_LIMITED' } as const;

export type AlertStatus = keyof typeof ALERT_ERRORS;
/** What an alert is about; `LATE_DELIVERY` is no error of the API, and no buyer ever gets it. */
export type AlertError = (typeof ALERT_ERRORS)[AlertStatus] | 'LATE_DELIVERY';

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

/** What a supplier delivered though its purchase had failed: nobody paid for it, and it entered own stock. */
export interface LateDelivery {
  readonly supplierId: number;
  /** What the supplier knows the purchase by. */
  readonly reference: string;
  readonly productId: number;
  /** How many. */
  readonly items: number;
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
export type Alert = RefusalAlert | LateDeliveryAlert;

export interface AlertCounters {
  readonly byError: Readonly<Record<AlertError, number>>;
  /** Alerts that got no log line of their own. */
  readonly notLogged: number;
  readonly posts: number;
  readonly failedPosts: number;
  /** Alerts that were dropped from posts because too many waited. */
  readonly notPosted: number;
}

export interface AlertsOptions {
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: AlertLog;
  /** Undefined when alerts are posted nowhere. */
  readonly post: AlertPost | undefined;
}

export class Alerts {
  readonly #options: AlertsOptions;
  readonly #byError: Record<AlertError, number> = {
    BAD_REQUEST: 0,
    UNAUTHORIZED: 0,
    RATE_LIMITED: 0,
    LATE_DELIVERY: 0,
  };

  constructor(options: AlertsOptions) {
    this.#options = options;
  }

  get counters(): AlertCounters {
    const { log, post } = this.#options;
    return {
      byError: this.#byError,
      notLogged: log.leftOut,
      posts: post?.sent ?? 0,
      failedPosts: post?.failed ?? 0,
      notPosted: post?.dropped ?? 0,
    };
  }

  raise(request: RefusedRequest): void {
    this.#tell({ ...request, error: ALERT_ERRORS[request.status], at: this.#options.clock() });
  }

  tellLateDelivery(delivery: LateDelivery): void {
    const message = `Supplier ${delivery.supplierId} delivered after all: the items are in own stock.`;
    this.#tell({ ...delivery, error: 'LATE_DELIVERY', message, at: this.#options.clock() });
  }

  /** Ends timers and connections. Alerts that wait to be posted stay in the log only. */
  async stop(): Promise<void> {
    this.#options.log.stop();
    await this.#options.post?.stop();
  }

  #tell(alert: Alert): void {
    this.#byError[alert.error] += 1;
    this.#options.log.write(alert);
    this.#options.post?.offer(alert);
  }
}
