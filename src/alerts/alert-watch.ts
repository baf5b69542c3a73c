/**
 * Looks every ten seconds for states that operators are told of: one timer for all watchers, and a file for each.
 *
 * Invariant: a watcher that fails, or takes long, keeps no other from looking; none looks twice at a time. All of them
 * run on the main thread, so a look that takes longer than a millisecond or two is made in slices.
 */
import { setTimeout as delay } from 'node:timers/promises';

export interface Watcher {
  /** Begins and ends the states that it knows of. Once `stopped` is aborted, it reads nothing more. */
  look(stopped: AbortSignal): void | Promise<void>;
}

export interface AlertWatchOptions {
  /** Watchers by name, for the log. Watchers that must not wait for others to be logged come first. */
  readonly watchers: Readonly<Record<string, Watcher>>;
  readonly onFault: (watcher: string, error: unknown) => void;
  /** Keeps what was told; a look waits for nothing of it. */
  readonly memory?: { looked(): Promise<void>; keep(): Promise<void> } | undefined;
  /** Default 10 s. */
  readonly intervalMs?: number | undefined;
}

const LOOK_MS = 10_000;
/** A look that asks a disk that hangs ends when it likes. */
const STOP_PATIENCE_MS = 1_000;

export class AlertWatch {
  readonly #options: AlertWatchOptions;
  readonly #looking = new Map<Watcher, Promise<void>>();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AlertWatchOptions) {
    this.#options = options;
  }

  /** The first look is at once. */
  start(): void {
    this.#timer = setInterval(() => this.look(), this.#options.intervalMs ?? LOOK_MS).unref();
    this.look();
  }

  look(): void {
    void this.#options.memory?.looked();
    for (const [name, watcher] of Object.entries(this.#options.watchers)) {
      if (this.#looking.has(watcher)) continue;
      const looked = this.#look(name, watcher).finally(() => this.#looking.delete(watcher));
      this.#looking.set(watcher, looked);
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stop.abort();
    const ended = Promise.all(this.#looking.values()).then(() => this.#options.memory?.keep());
    await Promise.race([ended, delay(STOP_PATIENCE_MS, null, { ref: false })]);
  }

  async #look(name: string, watcher: Watcher): Promise<void> {
    try {
      await watcher.look(this.#stop.signal);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#options.onFault(name, error);
    }
  }
}
