/** Trims that operators ask a node for: one at a time, and none keeps its caller waiting for long. */
import { setTimeout as delay } from 'node:timers/promises';
import { makeBase } from './base/base-maker.ts';
import type { BaseThreadData } from './base/base-thread.ts';
import { ClusterError } from './cluster-error.ts';
import { readClusterFile } from './cluster-file.ts';
import { type Trimmed, trimLog } from './log-trim.ts';
import { PostgresCluster } from './postgres/postgres-cluster.ts';

/** A base of a large folder takes longer. */
const ANSWER_MS = 15_000;

export class Trims {
  readonly #data: BaseThreadData;
  readonly #stopped = new AbortController();
  #underWay: Promise<Trimmed> | undefined;

  /** `data`: of the node's own folder. */
  constructor(data: BaseThreadData) {
    this.#data = data;
  }

  /**
   * Begins one, or goes on with the one that is under way. Resolves with what came of it; with undefined when that takes
   * longer: then the next call tells. Rejects like `trimLog`.
   */
  async trim(): Promise<Trimmed | undefined> {
    this.#underWay ??= this.#run();
    const underWay = this.#underWay;
    // Whoever asked last may not be there any more.
    underWay.catch(() => {});
    const late = new AbortController();
    try {
      const trimmed = await Promise.race([
        underWay,
        delay(ANSWER_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined),
      ]);
      if (trimmed !== undefined) this.#forget(underWay);
      return trimmed;
    } catch (error) {
      this.#forget(underWay);
      throw error;
    } finally {
      late.abort();
    }
  }

  /** The one that is under way is broken off, and does no harm. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await this.#underWay?.catch(() => {});
  }

  #forget(told: Promise<Trimmed>): void {
    if (this.#underWay === told) this.#underWay = undefined;
  }

  async #run(): Promise<Trimmed> {
    const { folder, settings } = this.#data;
    const cluster = new PostgresCluster(settings);
    try {
      return await trimLog({
        cluster,
        makeBase: () => {
          // The folder's own file is never ahead of what it has.
          const place = readClusterFile(folder);
          if (place === undefined) throw new ClusterError(`${folder} belongs to no cluster`);
          return makeBase(this.#data, place, this.#stopped.signal);
        },
      });
    } finally {
      await cluster.close();
    }
  }
}
