/**
 * Single backups that this process was asked for, and what became of them: the list that operators see.
 *
 * Invariant: one is under way at a time, and each one ends as complete or failed. The list has those of this process
 * only: the target has the rest.
 */
import { randomUUID } from 'node:crypto';
import type { PositionJson } from './target-layout.ts';

/** Single backups that are listed. */
const MAX_LISTED = 100;

export interface SingleBackup {
  readonly backupId: string;
  readonly target: string;
  state: 'running' | 'complete' | 'failed';
  /** The position that the target has; null while that isn't known. */
  position: PositionJson | null;
  /** Bytes of all its chunks at the target. */
  bytes: number;
  /** When it began, and when it ended, once it has. Unix milliseconds. */
  at: number;
  error?: string;
}

/** Resolves with the position that the target has, when all is there. */
export type BackUp = (backupId: string, target: string) => Promise<PositionJson>;

export class SingleBackups {
  readonly #clock: () => number;
  readonly #backUp: BackUp;
  #list: SingleBackup[] = [];

  constructor(clock: () => number, backUp: BackUp) {
    this.#clock = clock;
    this.#backUp = backUp;
  }

  /** The newest first. */
  get list(): readonly Readonly<SingleBackup>[] {
    return this.#list;
  }

  get running(): Readonly<SingleBackup> | undefined {
    return this.#list.find(({ state }) => state === 'running');
  }

  /** Begins a single backup. None may be running. */
  begin(target: string): Readonly<SingleBackup> {
    const backup: SingleBackup = {
      backupId: `bak_${randomUUID().replaceAll('-', '')}`,
      target,
      state: 'running',
      position: null,
      bytes: 0,
      at: this.#clock(),
    };
    this.#list = [backup, ...this.#list].slice(0, MAX_LISTED);
    void this.#run(backup);
    return backup;
  }

  /** The target has so much of it. */
  progressed(backupId: string, position: PositionJson, bytes: number): void {
    const backup = this.#list.find((each) => each.backupId === backupId);
    if (backup === undefined) return;
    backup.position = position;
    backup.bytes = bytes;
  }

  async #run(backup: SingleBackup): Promise<void> {
    try {
      backup.position = await this.#backUp(backup.backupId, backup.target);
      backup.state = 'complete';
    } catch (error) {
      backup.state = 'failed';
      backup.error = (error as Error).message;
    }
    backup.at = this.#clock();
  }
}
