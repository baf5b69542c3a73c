/**
 * Tells the service team of requests that were refused as wrong, unknown or too many (SPEC.md §5), of webhook
 * events that were given up (§6), of suppliers that delivered after all, and of those that leave much open: a counter
 * for every one, a log line for as many as a log can bear, and a POST where one is wanted.
 *
 * `raise` is called while an answer is on its way, so it does no I/O of its own beyond a line in the log.
 */
import {
  ALERT_ERRORS,
  type Alert,
  type AlertError,
  type DiscardedEvent,
  EVENT_DISCARDED,
  LATE_DELIVERY,
  type LateDelivery,
  type OpenSupplierPurchases,
  type RefusedRequest,
  SUPPLIER_PURCHASES_OPEN,
} from './alert.ts';
import type { AlertLog } from './alert-log.ts';
import type { AlertPost } from './alert-post.ts';

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
    SUPPLIER_PURCHASES_OPEN: 0,
    WEBHOOK_EVENT_DISCARDED: 0,
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
    const { supplierId, items, itemsDelivered } = delivery;
    const message = `Supplier ${supplierId} delivered after all: ${items} of ${itemsDelivered} items are in own stock.`;
    this.#tell({ ...delivery, error: LATE_DELIVERY, message, at: this.#options.clock() });
  }

  tellOpenSupplierPurchases(supplierPurchases: OpenSupplierPurchases): void {
    const { supplierId, open } = supplierPurchases;
    const message = `Supplier ${supplierId} leaves ${open} purchases open: see purser supplier-purchase list.`;
    this.#tell({ ...supplierPurchases, error: SUPPLIER_PURCHASES_OPEN, message, at: this.#options.clock() });
  }

  /** So many events were discarded at once, of which `events` are the first few: the others are counted only. */
  raiseDiscarded(count: number, events: readonly DiscardedEvent[]): void {
    const message = 'The event could not be delivered and is not sent again.';
    const at = this.#options.clock();
    for (const event of events) this.#tell({ ...event, message, error: EVENT_DISCARDED, at });
    const others = count - events.length;
    if (others <= 0) return;
    this.#byError[EVENT_DISCARDED] += others;
    this.#options.log.leaveOut(EVENT_DISCARDED, others);
    this.#options.post?.leaveOut(others);
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
