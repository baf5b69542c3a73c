/**
 * The target of a backup, as a restore reads it: with patience when the target doesn't answer, and with errors that
 * name the object that is amiss. Nothing is ever written to it.
 *
 * Invariant: no wait for one object, or for the next name of a list, is longer than `limitMs`, and a wait of more than
 * a moment is told, with its reason.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type BackupTarget, TargetError, type TargetObject } from '../backup/target/backup-target.ts';
import { RestoreError } from './restore-error.ts';

export interface SourcePatience {
  /** The waits before the second try, the third, and so on; after the last try it has failed. */
  readonly waitsMs: readonly number[];
  /** The limit of all tries together. */
  readonly limitMs: number;
  /** The time after which a wait is told, … */
  readonly tellAfterMs: number;
  /** … and the time between two tellings of it. */
  readonly tellEveryMs: number;
}

/** The default, told in docs/backups.md. */
const PATIENCE: SourcePatience = {
  waitsMs: [200, 1_000, 3_000, 10_000],
  limitMs: 180_000,
  tellAfterMs: 5_000,
  tellEveryMs: 30_000,
};

export interface SourceOptions {
  /** Gets one line: what is waited for, and since when; undefined when that has come. */
  readonly onWait?: ((line: string | undefined) => void) | undefined;
  readonly patience?: SourcePatience | undefined;
}

interface Wait {
  readonly what: string;
  readonly sinceMs: number;
  isReported: boolean;
  /** The error of the last try, once it has failed. */
  trouble: string | undefined;
}

export class BackupSource {
  readonly #target: BackupTarget;
  readonly #patience: SourcePatience;
  readonly #onWait: (line: string | undefined) => void;
  /** The oldest first: that one is told. */
  readonly #waits = new Set<Wait>();

  constructor(target: BackupTarget, { onWait = () => {}, patience = PATIENCE }: SourceOptions = {}) {
    this.#target = target;
    this.#patience = patience;
    this.#onWait = onWait;
  }

  get url(): string {
    return this.#target.url;
  }

  /** Undefined when there is none. Rejects with `TargetError`. */
  async read(name: string): Promise<Buffer | undefined> {
    return this.#waitFor(name, (signal) => this.#target.read(name, { signal }));
  }

  /** Rejects with `RestoreError` when there is none, and with `TargetError`. */
  async require(name: string): Promise<Buffer> {
    const bytes = await this.read(name);
    if (bytes === undefined) throw new RestoreError(`${name} is missing at ${this.url}: ${REMEDY}`);
    return bytes;
  }

  /** All whose names begin with `prefix`, ascending. After an error it goes on behind the last one. */
  async *list(prefix: string): AsyncIterableIterator<TargetObject> {
    const ended = new AbortController();
    const { signal } = ended;
    let after = '';
    let objects: AsyncIterator<TargetObject> | undefined;
    const next = async () => {
      objects ??= this.#target.list(prefix, { after, signal })[Symbol.asyncIterator]();
      try {
        return await objects.next();
      } catch (error) {
        objects = undefined;
        throw error;
      }
    };
    const what = prefix === '' ? 'the list of its objects' : `the list of ${prefix}`;
    try {
      for (;;) {
        const { done, value } = await this.#waitFor(what, next);
        if (done === true) return;
        after = value.name;
        yield value;
      }
    } finally {
      // Ends what is under way when the patience has.
      ended.abort();
    }
  }

  /** Whether there is any object whose name begins so. */
  async has(prefix: string): Promise<boolean> {
    for await (const _ of this.list(prefix)) return true;
    return false;
  }

  /** The result of `work`, which is tried again for as long as that may help. */
  async #waitFor<Result>(what: string, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { waitsMs, limitMs, tellAfterMs, tellEveryMs } = this.#patience;
    const wait: Wait = { what, sinceMs: Date.now(), isReported: false, trouble: undefined };
    this.#waits.add(wait);
    const ended = new AbortController();
    const over = new Promise<'over'>((resolve) =>
      ended.signal.addEventListener('abort', () => resolve('over')),
    );
    const limit = setTimeout(() => ended.abort(), limitMs);
    const tell = () => {
      const isOldest = this.#waits.values().next().value === wait;
      if (isOldest) this.#tell(wait);
      teller = setTimeout(tell, isOldest ? tellEveryMs : tellAfterMs);
    };
    let teller = setTimeout(tell, tellAfterMs);
    try {
      for (const pauseMs of [...waitsMs, undefined]) {
        const tried = await Promise.race([this.#try(wait, ended.signal, work), over]);
        if (tried === 'over') break;
        if (tried !== 'failed') return tried.result;
        if (pauseMs === undefined) break;
        await delay(pauseMs, undefined, { signal: ended.signal }).catch(() => undefined);
        if (ended.signal.aborted) break;
      }
      throw this.#inVain(wait);
    } finally {
      clearTimeout(limit);
      clearTimeout(teller);
      this.#waits.delete(wait);
      if (wait.isReported) this.#onWait(undefined);
    }
  }

  /** Rejects with what another try doesn't make better. */
  async #try<Result>(
    wait: Wait,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<{ readonly result: Result } | 'failed'> {
    try {
      return { result: await work(signal) };
    } catch (error) {
      if (!(error instanceof TargetError) || error.fault !== 'unreachable') throw error;
      if (!signal.aborted) wait.trouble = error.message;
      return 'failed';
    }
  }

  #tell(wait: Wait): void {
    const { what, sinceMs, trouble } = wait;
    wait.isReported = true;
    const why = trouble === undefined ? `${this.url} has not answered yet` : trouble;
    this.#onWait(`waiting for ${what} since ${new Date(sinceMs).toISOString()}: ${why}`);
  }

  #inVain({ what, sinceMs, trouble }: Wait): TargetError {
    const seconds = Math.round((Date.now() - sinceMs) / 1_000);
    const why = trouble ?? `${this.url} does not answer; check that it works and can be reached`;
    return new TargetError('unreachable', `waited ${seconds} s in vain for ${what}: ${why}`);
  }
}

/**
 * The remedy for an object that is not as it should be; follows a colon. A message with it begins with the object's
 * name, by which `before-damage.ts` finds another remedy to put in its place.
 */
export const REMEDY = 'put that object back from another copy, or restore what lies before it with --at';
