/**
 * An open loop: requests leave at a steady rate, whatever the answers do.
 *
 * When no connection is free, a request waits for one, and its latency counts from when it was due: leaving late
 * requests out would hide just the moments in which the server is slow.
 */
const TICK_MS = 1;

/** Sends a request when it is told to. Its latency counts from `dueMs`. */
export interface Sender {
  send(dueMs: number): void;
}

export class Pacer {
  readonly #intervalMs: number;
  /** Free, in the order in which they became so. */
  #free: Sender[] = [];
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

  /** Takes a sender, which sends the next request that is due. */
  offer(sender: Sender, nowMs: number): void {
    if (this.#isFinished) return sender.send(nowMs);
    this.#free.push(sender);
    this.#release(nowMs);
  }

  /** No more requests: the window lets everybody who comes by rest. */
  finish(): void {
    this.stop();
    this.#isFinished = true;
    for (const sender of this.#free.splice(0)) sender.send(performance.now());
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #release(nowMs: number): void {
    while (this.#nextDueMs <= nowMs) {
      const sender = this.#free.shift();
      if (sender === undefined) return;
      const dueMs = this.#nextDueMs;
      this.#nextDueMs += this.#intervalMs;
      sender.send(dueMs);
    }
  }
}
