/**
 * Rows younger than the checkpoint, in two generations: the checkpoint folds whole ones.
 *
 * `cut` starts a new generation, `dropOlder` forgets the one before once it is on disk, whatever its size. A forgotten
 * generation is emptied, not made anew, so that it may keep its room (`kept-room.ts`). Rejected: rows that are deleted
 * one by one, which stalls the thread.
 */
interface Generation {
  readonly size: number;
  clear(): void;
}

export class Generations<Rows extends Generation> {
  protected older: Rows;
  protected current: Rows;

  constructor(make: () => Rows) {
    this.older = make();
    this.current = make();
  }

  get size(): number {
    return this.older.size + this.current.size;
  }

  /** Starts a new generation. The one before must have been dropped. */
  cut(): void {
    if (this.older.size > 0) throw new Error('a generation was cut before the one before it was dropped');
    [this.older, this.current] = [this.current, this.older];
  }

  dropOlder(): void {
    this.older.clear();
  }
}
