/**
 * Alerts in the node's log: one line each, up to a few a second; the others are counted, and the counts are logged at the
 * end of the second. So a flood of refused requests neither fills the operator's disk nor blocks the thread, for which
 * each line is a write.
 */
import type { Logger } from 'pino';
import { type Alert, type AlertError, LOG_LINES } from './alert.ts';

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
    // Under `alert`, by which operators filter; `msg` belongs to the logger.
    this.#log.warn({ alert }, LOG_LINES[alert.error]);
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
