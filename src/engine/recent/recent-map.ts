/** A map in two generations, for rows that are few. */
import { Generations } from './generations.ts';

export class RecentMap<Key, Value> extends Generations<Map<Key, Value>> {
  constructor() {
    super(() => new Map());
  }

  get(key: Key): Value | undefined {
    return this.current.get(key) ?? this.older.get(key);
  }

  /** Adds a key that has no value yet. */
  add(key: Key, value: Value): void {
    if (this.get(key) !== undefined) throw new Error(`${String(key)} is there already`);
    this.current.set(key, value);
  }
}
