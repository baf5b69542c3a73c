/** A map in two generations: `cut` starts a new one, `dropOlder` forgets the one before, whatever its size. */
export class RecentMap<Key, Value> {
  #older = new Map<Key, Value>();
  #current = new Map<Key, Value>();

  get size(): number {
    return this.#older.size + this.#current.size;
  }

  get(key: Key): Value | undefined {
    return this.#current.get(key) ?? this.#older.get(key);
  }

  /** Of a key that has no value yet. */
  add(key: Key, value: Value): void {
    if (this.get(key) !== undefined) throw new Error(`${String(key)} is there already`);
    this.#current.set(key, value);
  }

  /** In the order in which they came. */
  *entries(): IterableIterator<readonly [Key, Value]> {
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
