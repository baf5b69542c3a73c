/**
 * Loops that depend on each other: they run side by side for as long as something is shipped, and rest in between.
 *
 * Invariant: when one fails, whatever the others have under way is broken off, for who is fenced writes nothing more;
 * and nobody hears of the failure before all have ended. A stop ends their rests, and not their work.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { TargetError } from '../target/backup-target.ts';

export class LinkedLoops {
  readonly #failed: AbortController;
  readonly #stopping = new AbortController();
  readonly #ended: AbortSignal;
  /** Aborted by `stop`, or when all ends. */
  readonly signal: AbortSignal;

  /** `failed` is aborted when a loop fails, and must abort `ended`, which is aborted as well when all is to end. */
  constructor(failed: AbortController, ended: AbortSignal) {
    this.#failed = failed;
    this.#ended = ended;
    this.signal = AbortSignal.any([this.#stopping.signal, ended]);
  }

  get areStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Rejects with what the first one that fails does, when all have ended. */
  async together(loops: readonly Promise<void>[]): Promise<void> {
    try {
      await Promise.all(loops);
    } catch (error) {
      this.#failed.abort(error);
      await Promise.allSettled(loops);
      throw error;
    }
  }

  /** Repeats work every `ms` milliseconds; work that the target fails at is done the next time. */
  async every(ms: number, work: () => Promise<void>): Promise<void> {
    for (await this.rest(ms); !this.areStopping; await this.rest(ms)) {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof TargetError)) throw error;
      }
    }
  }

  /** Ends early when they are to stop. Rejects when all ends. */
  async rest(ms: number): Promise<void> {
    if (ms > 0) await delay(ms, undefined, { signal: this.signal }).catch(() => undefined);
    this.#ended.throwIfAborted();
  }
}
