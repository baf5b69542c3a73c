/**
 * What is younger than the checkpoint, in two generations.
 *
 * The checkpoint folds whole generations: `cut` starts a new one, `dropOlder` forgets the one before once it
 * is on disk. Dropping is one assignment, whatever the generation's size; deleting row by row from one map
 * was rejected because it stalls the thread for milliseconds.
 */
export class RecentTable<Key, Row> {
  #older = new Map<Key, Row>();
  #current = new Map<Key, Row>();

  get size(): number {
    return this.#older.size + this.#current.size;
  }

  get(key: Key): Row | undefined {
    return this.#current.get(key) ?? this.#older.get(key);
  }

  set(key: Key, row: Row): void {
    this.#current.set(key, row);
  }

  /** Every row, the older first; a key that is in both generations comes twice, the newer last. */
  *entries(): IterableIterator<[Key, Row]> {
    yield* this.#older;
    yield* this.#current;
  }

  /** Starts a new generation. The one before must have been dropped. */
  cut(): void {
    if (this.#older.size > 0) throw new Error('a generation was cut before the one before it was dropped');
    this.#older = this.#current;
    this.#current = new Map();
  }

  dropOlder(): void {
    this.#older = new Map();
  }
}
