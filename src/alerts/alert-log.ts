/**
 * Alerts in the node's log: one line each, up to a few a second of each class; the others are counted, and the counts are
 * logged at the end of the second. So a flood of refused requests neither fills the operator's disk, nor blocks the
 * thread, for which each line is a write, nor keeps an alert of the other class out.
 */
import type { Logger } from 'pino';
import { ALERT_KINDS, type Alert, type AlertClass, type AlertError } from './alert.ts';

/** Of each class. */
const LINES_PER_SECOND = 20;

export class AlertLog {
  readonly #log: Logger;
  #lines: Record<AlertClass, number> = { operations: 0, buyer: 0 };
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
    if (this.#lines[alert.class] >= LINES_PER_SECOND) return this.leaveOut(alert.error, 1);
    this.#startSecond();
    this.#lines[alert.class] += 1;
    const { line } = ALERT_KINDS[alert.error];
    // Under `alert`, by which operators filter; `msg` belongs to the logger.
    if ('state' in alert && alert.state === 'resolved') this.#log.info({ alert }, `over: ${line}`);
    else this.#log.warn({ alert }, line);
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
    this.#lines = { operations: 0, buyer: 0 };
    if (Object.keys(this.#leftOut).length === 0) return;
    this.#log.warn(
      { alertsLeftOut: this.#leftOut },
      'too many alerts to log each one; the others are counted here',
    );
    this.#leftOut = {};
  }
}
