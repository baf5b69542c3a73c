/**
 * Alerts in the node's log: a line each, up to a few a second; what is beyond is counted, and the count logged
 * when the second is over. Whoever sends refused requests as fast as he can must not fill the operator's disk,
 * nor hold up the thread, for which a line is a write.
 */
import type { Logger } from 'pino';
import {
  type Alert,
  type AlertError,
  EVENT_DISCARDED,
  LATE_DELIVERY,
  SUPPLIER_PURCHASES_OPEN,
} from './alert.ts';

const LINES_PER_SECOND = 20;

export class AlertLog {
  readonly #log: Logger;
  #lines = 0;
  #leftOut: Partial<Record<AlertError, number>> = {};
  #leftOutInAll = 0;
  #second: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Alerts that got no line of their own. */
  get leftOut(): number {
    return this.#leftOutInAll;
  }

  write(alert: Alert): void {
    if (this.#lines >= LINES_PER_SECOND) return this.leaveOut(alert.error, 1);
    this.#startSecond();
    this.#lines += 1;
    // Under its own name, for the logger keeps `msg` for itself and an operator filters by `alert`.
    this.#log.warn({ alert }, whatHappened(alert.error));
  }

  /** Counts alerts without a line of their own. */
  leaveOut(error: AlertError, count: number): void {
    this.#startSecond();
    this.#leftOut[error] = (this.#leftOut[error] ?? 0) + count;
    this.#leftOutInAll += count;
  }

  stop(): void {
    this.#endSecond();
  }

  #startSecond(): void {
    this.#second ??= setTimeout(() => this.#endSecond(), 1_000).unref();
  }

  #endSecond(): void {
    clearTimeout(this.#second);
    this.#second = undefined;
    this.#lines = 0;
    if (Object.keys(this.#leftOut).length === 0) return;
    this.#log.warn(
      { alertsLeftOut: this.#leftOut },
      'too many alerts to log each one; the others are counted here',
    );
    this.#leftOut = {};
  }
}

function whatHappened(error: AlertError): string {
  if (error === EVENT_DISCARDED) return 'a webhook event was discarded';
  if (error === SUPPLIER_PURCHASES_OPEN) return 'a supplier leaves many purchases open';
  return error === LATE_DELIVERY ? 'a supplier delivered after all' : 'a request was refused';
}
