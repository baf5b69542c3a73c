/**
 * An open loop: requests leave at a steady rate, whatever the answers do.
 *
 * When no connection is free, a request waits for one, and its latency counts from when it was due: leaving late
 * requests out would hide just the moments in which the server is slow.
 */
import type { Squad } from './squad.ts';

const TICK_MS = 1;

export class Pacer {
  readonly #intervalMs: number;
  /** Free, in the order in which they became so. */
  #free: Squad[] = [];
  #nextDueMs = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isFinished = false;

  constructor(perSecond: number) {
    this.#intervalMs = 1_000 / perSecond;
  }

  start(nowMs: number): void {
    this.#nextDueMs = nowMs;
    this.#timer = setInterval(() => this.#release(performance.now()), TICK_MS);
  }

  /** The squad sends the next request that is due. */
  offer(squad: Squad, nowMs: number): void {
    if (this.#isFinished) return squad.send(nowMs);
    this.#free.push(squad);
    this.#release(nowMs);
  }

  /** No more requests: the window lets every squad that comes by rest. */
  finish(): void {
    this.stop();
    this.#isFinished = true;
    for (const squad of this.#free.splice(0)) squad.send(performance.now());
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #release(nowMs: number): void {
    while (this.#nextDueMs <= nowMs) {
      const squad = this.#free.shift();
      if (squad === undefined) return;
      const dueMs = this.#nextDueMs;
      this.#nextDueMs += this.#intervalMs;
      squad.send(dueMs);
    }
  }
}
