/**
 * The target of a backup, as who restores reads it: patient with one that doesn't answer, and in words that say which
 * object is amiss. Nothing is ever written to it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type BackupTarget, TargetError, type TargetObject } from '../backup/target/backup-target.ts';
import { RestoreError } from './restore-error.ts';

/** Before the second attempt, and so on; after the last one it has failed. */
const RETRY_WAITS_MS = [200, 1_000, 3_000, 10_000];

export class BackupSource {
  readonly #target: BackupTarget;
  readonly #waitsMs: readonly number[];

  constructor(target: BackupTarget, waitsMs = RETRY_WAITS_MS) {
    this.#target = target;
    this.#waitsMs = waitsMs;
  }

  get url(): string {
    return this.#target.url;
  }

  /** Undefined when there is none. Rejects with `TargetError`. */
  async read(name: string): Promise<Buffer | undefined> {
    for (const waitMs of this.#waitsMs) {
      try {
        return await this.#target.read(name);
      } catch (error) {
        if (!(error instanceof TargetError) || error.fault !== 'unreachable') throw error;
        await delay(waitMs);
      }
    }
    return this.#target.read(name);
  }

  /** Rejects with `RestoreError` when there is none, and with `TargetError`. */
  async require(name: string): Promise<Buffer> {
    const bytes = await this.read(name);
    if (bytes === undefined) throw new RestoreError(`${name} is missing at ${this.url}: ${REMEDY}`);
    return bytes;
  }

  /** All whose names begin with `prefix`, ascending. After an error it goes on behind the last one. */
  async *list(prefix: string): AsyncIterableIterator<TargetObject> {
    let after = '';
    for (let failures = 0; ; ) {
      try {
        for await (const object of this.#target.list(prefix, { after })) {
          after = object.name;
          failures = 0;
          yield object;
        }
        return;
      } catch (error) {
        const waitMs = this.#waitsMs[failures];
        const isPassing = error instanceof TargetError && error.fault === 'unreachable';
        if (!isPassing || waitMs === undefined) throw error;
        failures += 1;
        await delay(waitMs);
      }
    }
  }

  /** Whether there is any object whose name begins so. */
  async has(prefix: string): Promise<boolean> {
    for await (const _ of this.list(prefix)) return true;
    return false;
  }
}

/** What to do when an object is not what it should be; follows a colon. */
export const REMEDY = 'put that object back from another copy, or restore what lies before it with --at';
