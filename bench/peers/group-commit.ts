/**
 * One transaction for all that arrived meanwhile: SQLite has one writer, and a sync costs as much for one purchase as
 * for a hundred. Nobody is answered before the group is on disk.
 *
 * The group is gathered by the event loop itself: whatever has come is read first, then the group is written.
 * Waiting longer for more was rejected: while a group is synced, the next one gathers anyway.
 */
import type { DatabaseSyncInstance } from '@photostructure/sqlite';

interface Task {
  /** Run a second time when another of its group failed and the transaction was rolled back. */
  readonly write: () => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class GroupCommit {
  readonly #database: DatabaseSyncInstance;
  #waiting: Task[] = [];

  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
  }

  /** `write` is synchronous. Resolves with its result when that is on disk. */
  run<Result>(write: () => Result): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({ write, resolve: resolve as (result: unknown) => void, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#commitAll());
    });
  }

  #commitAll(): void {
    const group = this.#waiting;
    this.#waiting = [];
    try {
      this.#commit(group);
    } catch (error) {
      const [first, ...others] = group;
      if (first === undefined) return;
      if (others.length === 0) return first.reject(error);
      // One of them failed, and the others must not fail with it.
      for (const task of group) this.#commitAlone(task);
    }
  }

  #commitAlone(task: Task): void {
    try {
      this.#commit([task]);
    } catch (error) {
      task.reject(error);
    }
  }

  #commit(group: readonly Task[]): void {
    this.#database.exec('BEGIN IMMEDIATE');
    let results: unknown[];
    try {
      results = group.map((task) => task.write());
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
    for (const [index, task] of group.entries()) task.resolve(results[index]);
  }
}
