/**
 * The shared log in memory, as PostgreSQL behaves when things go wrong: a commit that waits for the quorum, is seen by
 * readers before it is confirmed, may be lost with a primary, and whose answer may get lost.
 *
 * `SimulatedDatabase` is the database; each node has a `table` of it. By default everything is confirmed at once.
 * `isHolding` makes commits wait; then `confirmAll`, `loseUnconfirmed` (another server became the primary), or
 * `breakConnections` decide. A row that waited when its connection broke is there like any other row, and may be lost
 * still.
 */
import { ClusterError } from '../../src/cluster/cluster-error.ts';
import type { Entry, Inserted, Seen, SharedTable } from '../../src/cluster/shared-table.ts';

interface Waiting {
  readonly node: number;
  /** The entries that it has inserted: their places are held until its wait ends. */
  readonly holds: readonly Entry[];
  /** The place, held by another one, that it waits for. */
  readonly wants?: number;
  readonly confirm: () => void;
  readonly fail: (error: Error) => void;
}

export class SimulatedDatabase {
  #entries: Entry[] = [];
  #beat: Omit<Seen, 'entries' | 'termAt'> = { term: 0, confirmed: 0, beats: 0, begin: undefined };
  /** Also of beats that were lost. */
  #beats = 0;
  /** The number of entries that the quorum has. */
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

  /** The entries that no failure takes away any more. */
  get confirmed(): readonly Entry[] {
    return this.#entries.slice(0, this.#safeEntries);
  }

  get confirmedCount(): number {
    return this.#safeEntries;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** `travel`: what a request takes to the database, and its answer back. */
  open(travel: () => Promise<void> = async () => {}): SimulatedTable {
    this.#nodes += 1;
    return new SimulatedTable(this, this.#nodes, travel);
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

  /** A server became the primary that lacks the last `count` entries of what was confirmed: PostgreSQL broke its word. */
  loseConfirmed(count: number): void {
    this.#safeEntries -= count;
    const { confirmed } = this.#safeBeat;
    const known = Math.min(confirmed, this.#safeEntries);
    const term = this.#entries[known - 1]?.term ?? 0;
    const begin = this.#entries.slice(0, known).findLast(({ kind }) => kind === 'term')?.bytes;
    this.#safeBeat = { ...this.#safeBeat, term, confirmed: known, begin };
    this.loseUnconfirmed();
  }

  /** Breaks the connections of all that wait, or of `node` alone. Rows that they wrote stay. */
  breakConnections(node?: number): void {
    const broken = this.#waiting.filter((waiting) => node === undefined || waiting.node === node);
    this.#waiting = this.#waiting.filter((waiting) => !broken.includes(waiting));
    for (const { fail } of broken) fail(new ClusterError('the connection broke', 'unknown'));
    const free = this.#waiting.filter(({ wants }) => wants !== undefined && !this.#isHeld(wants));
    this.#waiting = this.#waiting.filter((waiting) => !free.includes(waiting));
    for (const { confirm } of free) confirm();
  }

  /** A node reaches the database no more, until it is given back. */
  cut(node: number, isCut: boolean): void {
    if (isCut) this.#cut.add(node);
    else this.#cut.delete(node);
    if (isCut) this.breakConnections(node);
  }

  reach(node: number): void {
    if (this.#cut.has(node)) throw new ClusterError('the database is not reachable', 'unreachable');
  }

  insert(
    node: number,
    entries: readonly Entry[],
    previousTerm: number,
    beats?: number,
  ): Inserted | Promise<Inserted> {
    const [first] = entries;
    if (first === undefined) throw new RangeError('an insert of no entries');
    const before = this.#entries[first.number - 2];
    if (this.isAsynchronous) return 'asynchronous';
    if (first.number > 1 && before?.term !== previousTerm) return 'fenced';
    if (first.number > this.#entries.length + 1) return 'fenced';
    if (beats !== undefined && beats !== this.#beat.beats) return 'fenced';
    if (first.number <= this.#entries.length) {
      return this.#isHeld(first.number) ? this.#wait<Inserted>(node, 'taken', [], first.number) : 'taken';
    }
    if (this.isFull) return 'full';
    this.#entries.push(...entries);
    if (beats !== undefined) {
      this.#beat = { ...this.#beat, term: first.term, beats: this.#nextBeat(), begin: first.bytes };
    }
    return this.#committed<Inserted>(node, 'confirmed', entries);
  }

  beat(node: number, term: number, newest: number, confirmed: number): boolean | Promise<boolean> {
    const last = this.#entries.at(-1);
    if (this.isAsynchronous || last?.term !== term || last.number !== newest) return false;
    this.#beat = { ...this.#beat, term, confirmed, beats: this.#nextBeat() };
    return this.#committed(node, true);
  }

  look(after: number, limit: number): Seen {
    return { ...this.#beat, entries: this.read(after, limit), termAt: this.#entries[after - 1]?.term };
  }

  newestFacts(): Buffer | undefined {
    return this.#entries.findLast(({ kind }) => kind === 'facts')?.bytes;
  }

  read(after: number, limit: number): Entry[] {
    return this.#entries.slice(after, after + limit);
  }

  #nextBeat(): number {
    this.#beats += 1;
    return this.#beats;
  }

  #committed<Result>(node: number, result: Result, holds: readonly Entry[] = []): Result | Promise<Result> {
    if (this.isHolding) return this.#wait(node, result, holds);
    this.confirmAll();
    return result;
  }

  #isHeld(place: number): boolean {
    return this.#waiting.some(({ holds }) => holds.some(({ number }) => number === place));
  }

  #wait<Result>(node: number, result: Result, holds: readonly Entry[], wants?: number): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting = { node, holds, confirm: () => resolve(result), fail: reject };
      this.#waiting.push(wants === undefined ? waiting : { ...waiting, wants });
    });
  }
}

export class SimulatedTable implements SharedTable {
  readonly #database: SimulatedDatabase;
  readonly node: number;
  readonly #travel: () => Promise<void>;

  constructor(database: SimulatedDatabase, node: number, travel: () => Promise<void>) {
    this.#database = database;
    this.node = node;
    this.#travel = travel;
  }

  insert(entries: readonly Entry[], previousTerm: number, beats?: number): Promise<Inserted> {
    return this.#ask(() => this.#database.insert(this.node, entries, previousTerm, beats));
  }

  read(after: number, limit: number): Promise<Entry[]> {
    return this.#ask(() => this.#database.read(after, limit));
  }

  beat(term: number, newest: number, confirmed: number): Promise<boolean> {
    return this.#ask(() => this.#database.beat(this.node, term, newest, confirmed));
  }

  look(after: number, limit: number): Promise<Seen> {
    return this.#ask(() => this.#database.look(after, limit));
  }

  newestFacts(): Promise<Buffer | undefined> {
    return this.#ask(() => this.#database.newestFacts());
  }

  refresh(): void {}

  async close(): Promise<void> {}

  async #ask<Result>(ask: () => Result | Promise<Result>): Promise<Result> {
    await this.#travel();
    this.#database.reach(this.node);
    const result = await ask();
    await this.#travel();
    return result;
  }
}
