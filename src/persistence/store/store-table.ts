/**
 * A table of the store. A row is found by two numbers, `a` and `b`, within its table; its value is bytes. Rows of all
 * tables lie in one file, table by table.
 */
export interface StoreTable {
  /** Stands in files, so it never changes its meaning. From 1 to 255. */
  readonly number: number;
  /** Rows have a second number; else it is 0. */
  readonly hasB: boolean;
  /** Rows have a value; without one the numbers say all. */
  readonly hasValue: boolean;
  /** `a` is a hash, and mostly looked for in vain: each file has a filter of them. */
  readonly isFiltered: boolean;
  /** Rows may end: a younger file may have a tombstone in place of a value. */
  readonly ends: boolean;
  /** Values are numbers (`sums.ts`), which are added: each file has what its own facts came to. */
  readonly adds: boolean;
}

type Traits = Partial<Omit<StoreTable, 'number'>>;

export function storeTable(number: number, traits: Traits = {}): StoreTable {
  return { number, hasB: false, hasValue: false, isFiltered: false, ends: false, adds: false, ...traits };
}

/** Below 0 when the first key comes first. */
export function compareKeys(aOne: number, bOne: number, aOther: number, bOther: number): number {
  return aOne === aOther ? bOne - bOther : aOne - aOther;
}
