/**
 * Rows of numbers by an owner's id: collected as facts come, and then visited owner by owner, each owner's rows in the
 * order in which they came. So what an owner has in the table is looked for, added to and put once a transaction, while
 * it is in the processor's caches; to do it fact by fact took twice as long.
 *
 * Owners are accounts or products, whose ids are given one after the other: they are counted in an array, not sorted. Its
 * length is that of the accounts or products that there are.
 */
const FIRST_ROWS = 2 ** 10;

/** Rows from `start` on and before `end`, as places in `values`: each row takes as many places as there are columns. */
export type OwnerVisitor = (owner: number, values: Float64Array, start: number, end: number) => void;

export class GroupedRows {
  readonly #columns: number;
  #owners = new Uint32Array(FIRST_ROWS);
  #values: Float64Array;
  #grouped: Float64Array;
  #count = 0;
  /** How many rows each owner has. While rows are put in their places: where an owner's next one belongs. */
  #places = new Uint32Array(FIRST_ROWS);
  #seen: number[] = [];

  /** One to five columns. */
  constructor(columns: number) {
    this.#columns = columns;
    this.#values = new Float64Array(FIRST_ROWS * columns);
    this.#grouped = new Float64Array(FIRST_ROWS * columns);
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(owner: number, first: number, second = 0, third = 0, fourth = 0, fifth = 0): void {
    if (this.#count === this.#owners.length) this.#grow();
    if (owner >= this.#places.length) this.#growPlaces(owner);
    const rows = this.#places[owner] ?? 0;
    if (rows === 0) this.#seen.push(owner);
    this.#places[owner] = rows + 1;
    this.#owners[this.#count] = owner;
    const columns = this.#columns;
    const at = this.#count * columns;
    this.#values[at] = first;
    if (columns > 1) this.#values[at + 1] = second;
    if (columns > 2) this.#values[at + 2] = third;
    if (columns > 3) this.#values[at + 3] = fourth;
    if (columns > 4) this.#values[at + 4] = fifth;
    this.#count += 1;
  }

  /** All owners that have rows, ascending; forgets the rows, and keeps their room. */
  visit(visitor: OwnerVisitor): void {
    const owners = Uint32Array.from(this.#seen).sort();
    this.#group(owners);
    let start = 0;
    for (const owner of owners) {
      const end = (this.#places[owner] ?? 0) * this.#columns;
      visitor(owner, this.#grouped, start, end);
      start = end;
      this.#places[owner] = 0;
    }
    this.#seen = [];
    this.#count = 0;
  }

  #group(owners: Uint32Array): void {
    let place = 0;
    for (const owner of owners) {
      const rows = this.#places[owner] ?? 0;
      this.#places[owner] = place;
      place += rows;
    }
    const columns = this.#columns;
    for (let row = 0; row < this.#count; row += 1) {
      const owner = this.#owners[row] ?? 0;
      const to = this.#places[owner] ?? 0;
      this.#places[owner] = to + 1;
      for (let column = 0; column < columns; column += 1) {
        this.#grouped[to * columns + column] = this.#values[row * columns + column] ?? 0;
      }
    }
  }

  #grow(): void {
    const [owners, values] = [this.#owners, this.#values];
    this.#owners = new Uint32Array(owners.length * 2);
    this.#owners.set(owners);
    this.#values = new Float64Array(values.length * 2);
    this.#values.set(values);
    this.#grouped = new Float64Array(values.length * 2);
  }

  #growPlaces(owner: number): void {
    const places = this.#places;
    this.#places = new Uint32Array(Math.max(owner + 1, places.length * 2));
    this.#places.set(places);
  }
}
