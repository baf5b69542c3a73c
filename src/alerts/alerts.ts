/**
 * Alerts for the service team: refused requests (SPEC.md §5), discarded webhook events (§6), late deliveries of suppliers,
 * and suppliers that leave many purchases open. Each alert raises a counter, gets a line in the log as far as the log can
 * bear it, and is posted to `--alert-url`.
 *
 * `raise` is called while an answer is on its way, so it does no I/O except a line in the log.
 */
import {
  ALERT_ERRORS,
  type Alert,
  type AlertError,
  type DiscardedEvent,
  type LateDelivery,
  LOG_LINES,
  type OpenSupplierPurchases,
  type RefusedRequest,
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
  readonly #byError = Object.fromEntries(Object.keys(LOG_LINES).map((error) => [error, 0])) as Record<
    AlertError,
    number
  >;

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
    const message = `Supplier ${supplierId} delivered a purchase that had failed: ${items} of ${itemsDelivered} items were added to own stock.`;
    this.#tell({ ...delivery, error: 'LATE_DELIVERY', message, at: this.#options.clock() });
  }

  tellOpenSupplierPurchases(purchases: OpenSupplierPurchases): void {
    const { supplierId, open } = purchases;
    const message = `Supplier ${supplierId} has ${open} open purchases: see purser supplier-purchase list.`;
    this.#tell({ ...purchases, error: 'SUPPLIER_PURCHASES_OPEN', message, at: this.#options.clock() });
  }

  /** `count` events were discarded at once. `events` are the first few; the others are only counted. */
  raiseDiscarded(count: number, events: readonly DiscardedEvent[]): void {
    const error = 'WEBHOOK_EVENT_DISCARDED';
    const message = 'The event could not be delivered and is not sent again.';
    const at = this.#options.clock();
    for (const event of events) this.#tell({ ...event, message, error, at });
    const others = count - events.length;
    if (others <= 0) return;
    this.#byError[error] += others;
    this.#options.log.leaveOut(error, others);
    this.#options.post?.leaveOut(others);
  }

  /** Ends timers and connections. Alerts that were not posted yet are in the log only. */
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
