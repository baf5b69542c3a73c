/** The scene of a watcher's test: a clock of the test's own, and the alerts as short lines. */
import assert from 'node:assert/strict';
import { StandingAlerts } from '../../src/alerts/standing-alerts.ts';

export const MINUTE_MS = 60_000;

/** A step, and the alerts that it leads to. */
export type Step = readonly [what: string, happens: () => unknown, told: readonly string[]];

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

  /** Looks after each step. */
  async follow(look: () => unknown, steps: readonly Step[]): Promise<void> {
    for (const [what, happens, told] of steps) {
      happens();
      await look();
      assert.deepEqual(this.told(), told, what);
    }
  }
}

export const NOT_STOPPED = new AbortController().signal;

export function told(error: string) {
  return (state: 'firing' | 'resolved', fields: object) => [`${error} ${state} ${JSON.stringify(fields)}`];
}
