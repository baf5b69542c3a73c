/**
 * Has the thread that writes compact its files, part by part: what else it has to do comes between two parts. Nobody waits
 * for it, and it stops at a part's end.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { DamagedFileError, RefusedFileError } from '../lmdb/damaged-file.ts';
import type { StepDone } from './compaction.ts';

/**
 * After a part of a merge comes a rest of so many times as long, when the main thread is busy. A merge of a gigabyte takes
 * many seconds, in which buyers would have a core less; what is left over is merged when there is less to do.
 */
const REST = 9;
/** The main thread is busy when it worked for more than this share of the time that the part took. */
const BUSY = 0.25;

/** A run file that can't be read; it was left as it is. */
export interface CompactionDamage {
  /** For the log. */
  readonly damage: string;
  /** Nothing is known to be damaged: the system didn't give it, and may another time. */
  readonly isRefusal?: true;
}

export const DAMAGE_ADVICE = "what lies there can't be answered; stop the node and restore a backup";

/** The result of a part, in the thread; false when nothing is left to do, or there was no room for it. */
export type CompactionPart = StepDone | CompactionDamage;

export const REFUSAL_ADVICE = 'it is tried again';

/** Throws what `step` throws, but for a run file that can't be read. */
export function compactionPart<Done>(step: () => Done): Done | CompactionDamage {
  try {
    return step();
  } catch (error) {
    if (error instanceof RefusedFileError)
      return { damage: `${error.message}; ${REFUSAL_ADVICE}`, isRefusal: true };
    if (error instanceof DamagedFileError) return { damage: `${error.message}: ${DAMAGE_ADVICE}` };
    throw error;
  }
}

export interface CompactingOptions {
  /** Has the thread do a part. */
  readonly part: () => Promise<CompactionPart>;
  /** Nothing is left to do. */
  readonly onEnd: () => void;
  /** Told once for each table, and of a file that is refused once until that is another, or it is over. */
  readonly onDamage: (damage: string) => void;
  readonly onFatal: (error: unknown) => void;
}

export class Compacting {
  readonly #options: CompactingOptions;
  #work: Promise<void> | undefined;
  readonly #stopping = new AbortController();
  /** The last message about a file that was refused. */
  #refusal: string | undefined;

  constructor(options: CompactingOptions) {
    this.#options = options;
  }

  /** Until nothing is left to do; nothing when it is at it. */
  begin(): void {
    this.#work ??= this.#compact()
      .catch(this.#options.onFatal)
      .finally(() => {
        this.#work = undefined;
      });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  async #rest(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  async #compact(): Promise<void> {
    for (let hasMore = true; hasMore && !this.#isStopping; ) {
      const beganMs = performance.now();
      const load = performance.eventLoopUtilization();
      const done = await this.#options.part();
      hasMore = this.#told(done);
      const isBusy = performance.eventLoopUtilization(load).utilization > BUSY;
      if (done === 'rest' && isBusy) await this.#rest((performance.now() - beganMs) * REST);
    }
    if (!this.#isStopping) this.#options.onEnd();
  }

  /** Whether to go on at once. */
  #told(done: CompactionPart): boolean {
    if (typeof done !== 'object') {
      if (done !== false) this.#refusal = undefined;
      return done !== false;
    }
    const { damage, isRefusal = false } = done;
    if (damage !== this.#refusal) this.#options.onDamage(damage);
    if (isRefusal) this.#refusal = damage;
    return !isRefusal;
  }
}
