/**
 * Has the thread that writes compact its files, part by part: what else it has to do comes between two parts. Nobody waits
 * for it, and it stops at a part's end.
 */
import { DamagedFileError } from '../lmdb/damaged-file.ts';

/** A run file that can't be read; it was left as it is. */
export interface CompactionDamage {
  /** For the log. */
  readonly damage: string;
}

const ADVICE = "what lies there can't be answered; stop the node and restore a backup";

/** In the thread: what a part came to; false when nothing is left to do, or there was no room for it. */
export type CompactionPart = boolean | CompactionDamage;

/** Throws what `step` throws, but for the damage of a run file. */
export function compactionPart(step: () => boolean): CompactionPart {
  try {
    return step();
  } catch (error) {
    if (error instanceof DamagedFileError) return { damage: `${error.message}: ${ADVICE}` };
    throw error;
  }
}

export interface CompactingOptions {
  /** Has the thread do a part. */
  readonly part: () => Promise<CompactionPart>;
  /** Nothing is left to do. */
  readonly onEnd: () => void;
  /** Told once for each table. */
  readonly onDamage: (damage: string) => void;
  readonly onFatal: (error: unknown) => void;
}

export class Compacting {
  readonly #options: CompactingOptions;
  #work: Promise<void> | undefined;
  #isStopping = false;

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
    this.#isStopping = true;
    await this.#work;
  }

  async #compact(): Promise<void> {
    for (let hasMore = true; hasMore && !this.#isStopping; ) {
      const done = await this.#options.part();
      hasMore = done !== false;
      if (typeof done === 'object') this.#options.onDamage(done.damage);
    }
    if (!this.#isStopping) this.#options.onEnd();
  }
}
