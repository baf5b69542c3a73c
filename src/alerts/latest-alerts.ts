/**
 * The alerts of the last hours or seconds, for who looks at the node and wasn't there: the newest of each class.
 *
 * The classes have room of their own, as everywhere: however many requests are refused, the alert of a full disk is still
 * there. To keep one is an assignment, because a refused request pays for it. In memory only: the log has all.
 */
import { ALERT_CLASSES, type Alert, type AlertClass } from './alert.ts';

/** The limit for each class. */
const MOST_KEPT = 50;

export class LatestAlerts {
  /** Rings: each place is written over once there are more than `MOST_KEPT`. */
  readonly #kept: Readonly<Record<AlertClass, Alert[]>> = { operations: [], buyer: [] };
  readonly #counts: Record<AlertClass, number> = { operations: 0, buyer: 0 };

  keep(alert: Alert): void {
    const { class: alertClass } = alert;
    this.#kept[alertClass][this.#counts[alertClass] % MOST_KEPT] = alert;
    this.#counts[alertClass] += 1;
  }

  /** The newest first, at most 100. */
  list(): Alert[] {
    const all = ALERT_CLASSES.flatMap((alertClass) => {
      const kept = this.#kept[alertClass];
      const oldest = this.#counts[alertClass] % MOST_KEPT;
      return kept.length < MOST_KEPT ? kept : [...kept.slice(oldest), ...kept.slice(0, oldest)];
    });
    return all.reverse().sort((one, other) => other.at - one.at);
  }
}
