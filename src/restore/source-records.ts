/**
 * Runs and manifests of a source, each proved to be what a node of the shop wrote (`record.ts`).
 *
 * Invariant: a record that isn't proved counts for nothing. When all of a source is restored, the newest must be
 * proved, or the restore is refused: that record may say that sales must be closed. With an earlier moment, an unproved
 * one is passed over and named, and the one before counts.
 */
import type { KeyObject } from 'node:crypto';
import { readRecord } from '../backup/record.ts';
import type { Manifest, Run } from '../backup/target-layout.ts';
import type { BackupSource } from './backup-source.ts';
import { RestoreError } from './restore-error.ts';

export class SourceRecords {
  readonly #source: BackupSource;
  readonly #key: KeyObject;
  readonly #isWhole: boolean;
  readonly #passedOver = new Set<string>();

  /** `isWhole`: all of the source is to be restored. */
  constructor(source: BackupSource, key: KeyObject, isWhole: boolean) {
    this.#source = source;
    this.#key = key;
    this.#isWhole = isWhole;
  }

  /** Names of those that were looked at, and are not what the shop wrote. */
  get passedOver(): readonly string[] {
    return [...this.#passedOver];
  }

  /**
   * The first of `names`, which are the newest first, that is proved; undefined when none is. Rejects with `RestoreError`
   * and `TargetError`.
   */
  async newest<Kind extends Run | Manifest>(names: readonly string[] = []): Promise<Kind | undefined> {
    for (const name of names) {
      const record = await readRecord<Kind>(name, this.#key, (each) => this.#source.require(each));
      if (record !== undefined) return record;
      if (this.#isWhole) throw this.notWritten(name);
      this.#passedOver.add(name);
    }
    return undefined;
  }

  notWritten(name: string): RestoreError {
    return new RestoreError(
      `${name} at ${this.#source.url} is not what the shop wrote: put that object back from another copy, or restore ` +
        'without it, by --at and a moment; sales are closed then',
    );
  }
}
