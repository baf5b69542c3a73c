/**
 * Alerts in the node's log: one line each, up to a few a second of each class, so that a flood of refused requests keeps
 * no alert of the other class out.
 */
import type { Logger } from 'pino';
import { ALERT_KINDS, type Alert, type AlertClass, type AlertError } from './alert.ts';
import { LinesPerSecond } from './lines-per-second.ts';

/** The limit for each class. */
const LINES_PER_SECOND = 20;

export class AlertLog {
  readonly #log: Logger;
  readonly #bounds: Readonly<Record<AlertClass, LinesPerSecond>>;
  #leftOut = 0;

  constructor(log: Logger) {
    this.#log = log;
    const bound = () =>
      new LinesPerSecond(LINES_PER_SECOND, (alertsLeftOut) =>
        log.warn({ alertsLeftOut }, 'too many alerts to log each one; the others are counted here'),
      );
    this.#bounds = { operations: bound(), buyer: bound() };
  }

  /** Alerts that got no line of their own. */
  get leftOut(): number {
    return this.#leftOut;
  }

  write(alert: Alert): void {
    if (!this.#bounds[alert.class].take(alert.error)) {
      this.#leftOut += 1;
      return;
    }
    const { line } = ALERT_KINDS[alert.error];
    // Under `alert`, by which operators filter; `msg` belongs to the logger.
    if ('state' in alert && alert.state === 'resolved') this.#log.info({ alert }, `over: ${line}`);
    else this.#log.warn({ alert }, line);
  }

  /** Counts alerts without a line of their own. */
  leaveOut(error: AlertError, count: number): void {
    this.#bounds[ALERT_KINDS[error].class].leaveOut(error, count);
    this.#leftOut += count;
  }

  stop(): void {
    for (const bound of Object.values(this.#bounds)) bound.stop();
  }
}
