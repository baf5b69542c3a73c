/** What a watcher is tested with: a clock of the test's own, and what it tells as short lines. */
import { StandingAlerts } from '../../src/alerts/standing-alerts.ts';

export class Watched {
  nowMs = 1_000_000;
  readonly standing = new StandingAlerts({
    clock: () => this.nowMs,
    tell: ({ state, error, message, class: _, at: __, ...fields }) => {
      this.messages.push(message);
      this.#told.push(`${error} ${state} ${JSON.stringify(fields)}`);
    },
  });
  readonly messages: string[] = [];
  #told: string[] = [];

  readonly clock = (): number => this.nowMs;

  /** Since it was asked last. */
  told(): string[] {
    return this.#told.splice(0);
  }
}

export const NOT_STOPPED = new AbortController().signal;
