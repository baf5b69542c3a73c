/**
 * The shared log in memory, as PostgreSQL behaves when things go wrong: a commit that waits for the quorum, is seen by
 * readers before it is confirmed, may be lost with a primary, and whose answer may get lost.
 *
 * `Simulated` is the database; each node has a `table` of it. By default everything is confirmed at once. `hold` makes
 * commits wait; then `confirmAll`, `loseUnconfirmed` (another server became the primary), or `breakConnections` decide.
 */
import {
  type Entry,
  type Inserted,
  LogUnreachableError,
  type SharedTable,
  type Signs,
  UnknownOutcomeError,
} from '../../src/cluster/shared-table.ts';

interface Waiting {
  readonly node: number;
  readonly confirm: () => void;
  readonly fail: (error: Error) => void;
}

export class SimulatedDatabase {
  #entries: Entry[] = [];
  #beat: Omit<Signs, 'termAt'> = { term: 0, confirmed: 0, beats: 0 };
  /** What the quorum has. */
  #safeEntries = 0;
  #safeBeat = this.#beat;
  #waiting: Waiting[] = [];
  #nodes = 0;
  readonly #cut = new Set<number>();
  isHolding = false;
  isFull = false;
  isAsynchronous = false;

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** What no failure takes away any more. */
  get confirmed(): readonly Entry[] {
    return this.#entries.slice(0, this.#safeEntries);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  open(): SimulatedTable {
    this.#nodes += 1;
    return new SimulatedTable(this, this.#nodes);
  }

  confirmAll(): void {
    this.#safeEntries = this.#entries.length;
    this.#safeBeat = this.#beat;
    for (const { confirm } of this.#waiting.splice(0)) confirm();
  }

  /** Another server becomes the primary, which lacks what was not confirmed. */
  loseUnconfirmed(): void {
    this.#entries = this.#entries.slice(0, this.#safeEntries);
    this.#beat = this.#safeBeat;
    this.breakConnections();
  }

  /** Whoever waits hears that his connection broke; `node`: of one of them alone. What he wrote stays. */
  breakConnections(node?: number): void {
    const broken = this.#waiting.filter((waiting) => node === undefined || waiting.node === node);
    this.#waiting = this.#waiting.filter((waiting) => !broken.includes(waiting));
    for (const { fail } of broken) fail(new UnknownOutcomeError('the connection broke'));
  }

  /** A node reaches the database no more, until it is given back. */
  cut(node: number, isCut: boolean): void {
    if (isCut) this.#cut.add(node);
    else this.#cut.delete(node);
    if (isCut) this.breakConnections(node);
  }

  reach(node: number): void {
    if (this.#cut.has(node)) throw new LogUnreachableError('the database is not reachable');
  }

  insert(node: number, entries: readonly Entry[], previousTerm: number): Inserted | Promise<Inserted> {
    const [first] = entries;
    if (first === undefined) throw new RangeError('an insert of no entries');
    const before = this.#entries[first.number - 2];
    if (this.isAsynchronous) return 'asynchronous';
    if (first.number > 1 && before?.term !== previousTerm) return 'fenced';
    if (first.number > this.#entries.length + 1) return 'fenced';
    if (first.number <= this.#entries.length) {
      if (this.#waiting.length === 0 && this.#safeEntries === this.#entries.length) return 'taken';
      // It blocks as long as the one at its place waits.
      return first.number <= this.#safeEntries ? 'taken' : this.#wait<Inserted>(node, 'taken');
    }
    if (this.isFull) return 'full';
    this.#entries.push(...entries);
    return this.#committed<Inserted>(node, 'confirmed');
  }

  beat(node: number, term: number, newest: number): boolean | Promise<boolean> {
    const last = this.#entries.at(-1);
    if (this.isAsynchronous || last?.term !== term || last.number !== newest) return false;
    this.#beat = { term, confirmed: newest, beats: this.#beat.beats + 1 };
    return this.#committed(node, true);
  }

  signs(entry: number): Signs {
    return { ...this.#beat, termAt: this.#entries[entry - 1]?.term };
  }

  #committed<Result>(node: number, result: Result): Result | Promise<Result> {
    if (this.isHolding) return this.#wait(node, result);
    this.confirmAll();
    return result;
  }

  #wait<Result>(node: number, result: Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ node, confirm: () => resolve(result), fail: reject });
    });
  }
}

export class SimulatedTable implements SharedTable {
  readonly #database: SimulatedDatabase;
  readonly node: number;

  constructor(database: SimulatedDatabase, node: number) {
    this.#database = database;
    this.node = node;
  }

  async insert(entries: readonly Entry[], previousTerm: number): Promise<Inserted> {
    this.#database.reach(this.node);
    return await this.#database.insert(this.node, entries, previousTerm);
  }

  async read(after: number, limit: number): Promise<Entry[]> {
    this.#database.reach(this.node);
    return this.#database.entries.slice(after, after + limit);
  }

  async beat(term: number, newest: number): Promise<boolean> {
    this.#database.reach(this.node);
    return await this.#database.beat(this.node, term, newest);
  }

  async signs(entry: number): Promise<Signs> {
    this.#database.reach(this.node);
    return this.#database.signs(entry);
  }

  refresh(): void {}

  async close(): Promise<void> {}
}
