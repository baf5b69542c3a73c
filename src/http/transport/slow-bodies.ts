/**
 * Gives every request body that is awaited ten seconds for each 160 KiB, then ends the wait.
 *
 * The bodies of one listener stand in a list, the longest awaited first, and one timer looks at its head. A
 * timer a body would cost every purchase more than the rest of its body does, and uWebSockets.js alone would
 * close the connection without an answer.
 */

const TICK_MS = 1_000;
/** A body that began within a tick gets the whole of the last one. */
const LIMIT_TICKS = 10;
/**
 * uWebSockets.js closes by itself after 8 s at the least, unless it is told to wait. Told early and often: its clock
 * goes on while ticks come late on a machine that stands still now and then, and it closes without an answer.
 */
const KEEP_WAITING_TICKS = 3;

/** A place in the list; `SlowBodies` alone writes these fields. */
export interface AwaitedBody {
  older: AwaitedBody | undefined;
  newer: AwaitedBody | undefined;
  /** The tick it is awaited since; -1 when it is not in the list. */
  sinceTick: number;
  keepWaiting(): void;
  /** Does not throw. */
  timeOut(): void;
}

export class SlowBodies {
  #oldest: AwaitedBody | undefined;
  #newest: AwaitedBody | undefined;
  #tick = 0;
  #timer: NodeJS.Timeout | undefined;

  start(): void {
    this.#timer = setInterval(() => this.#look(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Begins the wait, or begins it anew. */
  watch(body: AwaitedBody): void {
    this.forget(body);
    body.sinceTick = this.#tick;
    body.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = body;
    else this.#newest.newer = body;
    this.#newest = body;
  }

  forget(body: AwaitedBody): void {
    if (body.sinceTick === -1) return;
    body.sinceTick = -1;
    const { older, newer } = body;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    body.older = undefined;
    body.newer = undefined;
  }

  #look(): void {
    this.#tick += 1;
    // What a handler does with one body may take others out of the list: begin again at its head.
    for (let body = this.#oldest; body !== undefined; body = this.#oldest) {
      if (this.#tick - body.sinceTick <= LIMIT_TICKS) break;
      this.forget(body);
      body.timeOut();
    }
    for (let body = this.#oldest; body !== undefined; body = body.newer) {
      const ticks = this.#tick - body.sinceTick;
      if (ticks < KEEP_WAITING_TICKS) break;
      if (ticks % KEEP_WAITING_TICKS === 0) body.keepWaiting();
    }
  }
}
