/**
 * The outbox: told when an event has waited for an attempt for `--outbox-behind`, or when the outbox hasn't read the
 * journal for as long. An event that waits for the time of its next attempt isn't late.
 *
 * The alert is over when no event has waited, and the journal has not been unread, for more than half of
 * `--outbox-behind`.
 */
import type { Engine } from '../engine/loop/engine.ts';
import type { Watcher } from './alert-watch.ts';
import { PositionLag } from './position-lag.ts';
import { NODE, type StandingAlerts } from './standing-alerts.ts';

export interface OutboxBacklog {
  /** For how long the event that waits longest could have been attempted; 0 when none waits. */
  readonly waitedMs: number;
  /** How far the journal has been read. */
  readonly position: number;
}

export interface OutboxWatchOptions {
  readonly standing: StandingAlerts;
  readonly engine: Pick<Engine, 'durablePosition'>;
  /** Undefined when the outbox stops. */
  readonly backlog: () => Promise<OutboxBacklog | undefined>;
  /** `--outbox-behind`. */
  readonly limitMs: number;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
}

export class OutboxWatch implements Watcher {
  readonly #options: OutboxWatchOptions;
  readonly #lag: PositionLag;

  constructor(options: OutboxWatchOptions) {
    this.#options = options;
    this.#lag = new PositionLag(options.limitMs);
  }

  async look(): Promise<void> {
    const { standing, engine, backlog, limitMs, monotonicMs } = this.#options;
    const found = await backlog();
    if (found === undefined) return;
    const unreadMs = this.#lag.look(monotonicMs(), engine.durablePosition, found.position);
    const behindMs = Math.round(Math.max(found.waitedMs, unreadMs));
    const fields = { behindMs };
    if (behindMs > limitMs) {
      const what =
        found.waitedMs >= unreadMs
          ? 'A webhook event has waited for its attempt'
          : 'The outbox has not read the journal';
      const message = `${what} for ${inWords(behindMs)}: receivers are dead or slow, the disk is full, or the node is busy. See purser webhook deliveries.`;
      standing.begin('OUTBOX_BEHIND', NODE, () => ({ message, fields }));
    } else if (behindMs <= limitMs / 2) {
      standing.end('OUTBOX_BEHIND', NODE, () => ({
        message: 'Webhook deliveries have caught up.',
        fields,
      }));
    }
  }
}

function inWords(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1_000)} seconds` : `${Math.round(ms / 60_000)} minutes`;
}
