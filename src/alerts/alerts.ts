/**
 * Alerts for the service team. Each raises a counter, gets a line in the log as far as the log can bear it, and is posted
 * to every `--alert-url` that takes its class.
 *
 * `raise` is called while an answer is on its way, so it does no I/O except a line in the log.
 */
import {
  ALERT_ERRORS,
  ALERT_KINDS,
  type Alert,
  type AlertError,
  type ContraryReport,
  type DiscardedEvent,
  type LateDelivery,
  type MisplacedKey,
  type RefusedRequest,
  STATE_ERRORS,
  type StateError,
} from './alert.ts';
import type { AlertLog } from './alert-log.ts';
import type { AlertPost } from './alert-post.ts';
import { LatestAlerts } from './latest-alerts.ts';
import { StandingAlerts } from './standing-alerts.ts';

export interface AlertCounters {
  /** Events, and beginnings of states. */
  readonly byError: Readonly<Record<AlertError, number>>;
  /** States that go on. */
  readonly firing: Readonly<Record<StateError, number>>;
  /** Alerts that got no log line of their own. */
  readonly notLogged: number;
  readonly posts: number;
  readonly failedPosts: number;
  /** Alerts that were dropped from posts because too many waited; of each URL. */
  readonly notPosted: number;
}

export interface AlertsOptions {
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: AlertLog;
  /** One for each URL. */
  readonly posts: readonly AlertPost[];
}

export class Alerts {
  /** States that begin and end. */
  readonly standing: StandingAlerts;
  /** Alerts that were told lately. */
  readonly latest = new LatestAlerts();
  readonly #options: AlertsOptions;
  readonly #byError = Object.fromEntries(Object.keys(ALERT_KINDS).map((error) => [error, 0])) as Record<
    AlertError,
    number
  >;

  constructor(options: AlertsOptions) {
    this.#options = options;
    this.standing = new StandingAlerts({ clock: options.clock, tell: (alert) => this.#tell(alert) });
    for (const post of options.posts) post.firing = () => this.#firing;
  }

  /** How many states go on, of the kinds of which any does. */
  get #firing(): Partial<Record<StateError, number>> {
    const counts = STATE_ERRORS.map((error) => [error, this.standing.count(error)] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  get counters(): AlertCounters {
    const { log, posts } = this.#options;
    const sum = (countOf: (post: AlertPost) => number) => posts.reduce((all, post) => all + countOf(post), 0);
    const firing = STATE_ERRORS.map((error) => [error, this.standing.count(error)] as const);
    return {
      byError: this.#byError,
      firing: Object.fromEntries(firing) as Record<StateError, number>,
      notLogged: log.leftOut,
      posts: sum(({ sent, failed }) => sent + failed),
      failedPosts: sum(({ failed }) => failed),
      notPosted: sum(({ dropped }) => dropped),
    };
  }

  raise(request: RefusedRequest): void {
    const error = ALERT_ERRORS[request.status];
    this.#tell({ ...request, class: ALERT_KINDS[error].class, error, at: this.#options.clock() });
  }

  raiseMisplacedKey(request: MisplacedKey): void {
    const error = 'ADDRESS_NOT_ALLOWED';
    const message = `The key of account ${request.accountId} came from ${request.address}, which is not among the account's allowedNetworks. It was answered like a wrong key.`;
    this.#tell({ ...request, class: ALERT_KINDS[error].class, error, message, at: this.#options.clock() });
  }

  tellLateDelivery(delivery: LateDelivery): void {
    const { supplierId, items, itemsDelivered } = delivery;
    const error = 'LATE_DELIVERY';
    const message = `Supplier ${supplierId} delivered a purchase that had failed: ${items} of ${itemsDelivered} items were added to own stock.`;
    this.#tell({ ...delivery, class: ALERT_KINDS[error].class, error, message, at: this.#options.clock() });
  }

  tellContraryReport(report: ContraryReport): void {
    const { supplierId, itemsDelivered } = report;
    const error = 'SUPPLIER_CONTRADICTION';
    const said = itemsDelivered === 0 ? 'that it failed' : `${itemsDelivered} other items`;
    const message = `Supplier ${supplierId} had delivered a purchase, and reports ${said} now. The report was refused; what was delivered stays.`;
    this.#tell({ ...report, class: ALERT_KINDS[error].class, error, message, at: this.#options.clock() });
  }

  /** Posts how many states go on, and what else there is. */
  tellFiring(): void {
    for (const post of this.#options.posts) post.tellFiring();
  }

  /** `count` events were discarded at once. `events` are the first few; the others are only counted. */
  raiseDiscarded(count: number, events: readonly DiscardedEvent[]): void {
    const error = 'WEBHOOK_EVENT_DISCARDED';
    const { class: alertClass } = ALERT_KINDS[error];
    const message = 'The event could not be delivered and is not sent again.';
    const at = this.#options.clock();
    for (const event of events) this.#tell({ ...event, class: alertClass, message, error, at });
    const others = count - events.length;
    if (others <= 0) return;
    this.#byError[error] += others;
    this.#options.log.leaveOut(error, others);
    for (const post of this.#options.posts) post.leaveOut(alertClass, others);
  }

  /** Ends timers and connections. Alerts that were not posted yet are in the log only. */
  async stop(): Promise<void> {
    this.#options.log.stop();
    await Promise.all(this.#options.posts.map((post) => post.stop()));
  }

  #tell(alert: Alert): void {
    const isOver = 'state' in alert && alert.state === 'resolved';
    if (!isOver) this.#byError[alert.error] += 1;
    this.latest.keep(alert);
    this.#options.log.write(alert);
    for (const post of this.#options.posts) post.offer(alert);
  }
}
