/**
 * A table whose rows are numbered from 1 in the order in which they were made: accounts, products, suppliers. Numbers that
 * a restore skips over have no row, until somebody asks for one of them by its number.
 *
 * Invariant: a row is changed only through `change`, which notes it for the checkpoint; the rows that `get` and
 * `values` give are for reading.
 */
import { BrokenInvariantError } from './apply/broken-invariant.ts';
import type { ChangedRows } from './apply/changed-rows.ts';

export class IdTable<Row extends object> {
  /** The kind of the rows, in messages, such as `account`. */
  readonly #noun: string;
  readonly #changed: ChangedRows;
  /** Ids are given out in order, so the table is a plain array, without holes in the engine's sense; 0 is none. */
  readonly #byId: (Row | undefined)[] = [undefined];
  #size = 0;

  constructor(noun: string, changed: ChangedRows) {
    this.#noun = noun;
    this.#changed = changed;
  }

  get size(): number {
    return this.#size;
  }

  get nextId(): number {
    return this.#byId.length;
  }

  get(id: number): Readonly<Row> | undefined {
    return this.#byId[id];
  }

  /** By id. */
  *values(): IterableIterator<Readonly<Row>> {
    for (const row of this.#byId) if (row !== undefined) yield row;
  }

  filter(isMeant: (row: Readonly<Row>) => boolean): Readonly<Row>[] {
    return this.#byId.filter((row) => row !== undefined && isMeant(row)) as Row[];
  }

  /** The row, which must be there, to be changed. */
  change(id: number): Row {
    const row = this.#byId[id];
    if (row === undefined) throw new BrokenInvariantError(`${this.#noun} ${id} does not exist`);
    this.#changed.note(id);
    return row;
  }

  /** The row, which must be there, is no more. */
  delete(id: number): void {
    this.change(id);
    this.#byId[id] = undefined;
    this.#size -= 1;
  }

  /** Whether a restore has leapt over the id, and nobody has got it since. */
  isLeapt(id: number): boolean {
    return id >= 1 && id < this.nextId && this.#byId[id] === undefined;
  }

  /** A new one, with the next id, or with one that is leapt over. */
  add(id: number, row: Row): void {
    const isNew = id === this.nextId || this.isLeapt(id);
    if (!isNew) throw new BrokenInvariantError(`${this.#noun} ${id} is not the next one`);
    this.load(id, row);
  }

  /** Ids go on with `nextId`; those before it are given only to who asks for them by number. */
  skip(nextId: number): void {
    if (nextId < this.nextId) throw new BrokenInvariantError(`${this.#noun} ${nextId} was given out before`);
    while (this.#byId.length < nextId) this.#byId.push(undefined);
  }

  /** One that the checkpoint has, whatever its id. */
  load(id: number, row: Row): void {
    if (id >= this.nextId) this.skip(id);
    if (this.#byId[id] === undefined) this.#size += 1;
    this.#byId[id] = row;
    this.#changed.note(id);
  }
}
