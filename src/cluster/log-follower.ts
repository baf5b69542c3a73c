/**
 * Reads the shared log as everybody does who doesn't lead: what is confirmed is taken, in order, and everything else is
 * looked at again later. Tells when nobody leads any more, and takes the lead.
 *
 * Invariant: nothing is taken that a failure of PostgreSQL could undo. A log that has lost what was taken is found out
 * before anything else of it is read, and is an error for good (`lost`): then PostgreSQL has lost what was
 * acknowledged, and no node may go on as if nothing had been.
 */
import { randomBytes } from 'node:crypto';
import { type ClusterClock, sleep } from './cluster-clock.ts';
import { ClusterError } from './cluster-error.ts';
import type { Entry, EntryKind, Seen, SharedTable } from './shared-table.ts';

/** In one look, unless so many can't be read in time: one of texts has up to 256 KB. */
const READ_ENTRIES = 64;
const LOOK_MS = 50;
/** Longer than a lease lasts (`../threads/lease.ts`), from the last sign of the leader that was seen: after it was sent. */
const PATIENCE_MS = 2_500;
/** Nothing moves: it may be that the server that is asked is not the primary any more. */
const STALE_MS = 2_000;

/** The leader, as the first entry of its term names it. */
export interface Leader {
  readonly node: string;
  /** The buyers' origin. */
  readonly url: string;
}

export interface Place {
  /** The last entry that was taken, and its term; of 0 before the first. */
  readonly entry: number;
  readonly term: number;
}

export interface LogFollowerOptions {
  readonly table: SharedTable;
  readonly from: Place;
  /**
   * Takes entries, in their order; the next ones come when it resolves. Any error that it throws ends the following.
   */
  readonly take: (entries: readonly Entry[]) => Promise<void> | void;
  readonly clock: ClusterClock;
  /**
   * Throws `lost` when the folder has facts behind these, the newest of the log (undefined: the log has none any
   * more). Asked before a term begins: a folder may have more than the place from which it was followed.
   */
  readonly compare?: (newestFacts: Buffer | undefined) => void;
  /** PostgreSQL can't be reached; told once for each time. */
  readonly onUnreachable?: (error: Error) => void;
}

/** A term that this node has begun. */
export interface Begun {
  readonly term: number;
  /** The entry that begins it, which is confirmed and taken. */
  readonly entry: number;
}

export class LogFollower {
  readonly #options: LogFollowerOptions;
  #place: Place;
  #leader: Leader | undefined;
  #takenKind: EntryKind | undefined;
  /** The log ends with an entry of kind `end`, be it confirmed or not: nobody is there to confirm it. */
  #hasEnded = false;
  #confirmed = 0;
  #movedAtMs: number;
  #lastSign = '';
  #isReachable = true;
  #readEntries = READ_ENTRIES;

  constructor(options: LogFollowerOptions) {
    this.#options = options;
    this.#place = options.from;
    this.#movedAtMs = options.clock.nowMs();
  }

  get place(): Place {
    return this.#place;
  }

  /** The last entry that is known to be confirmed. */
  get confirmed(): number {
    return this.#confirmed;
  }

  /** The leader of the last term that was read; undefined when it has stopped, or no term was read. */
  get leader(): Leader | undefined {
    return this.#hasEnded ? undefined : this.#leader;
  }

  /**
   * Follows until nobody leads, or `signal` says so. A log that can't be reached is waited for. Rejects with
   * a `ClusterError` (`lost` or `ended`), and with what `take` throws.
   */
  async follow(signal: AbortSignal): Promise<void> {
    const { table, clock } = this.#options;
    while (!signal.aborted) {
      const isMore = await this.#reached(() => this.step());
      if (this.isLeaderless) return;
      if (isMore === true) continue;
      if (this.#stillMs >= STALE_MS) table.refresh();
      await sleep(clock, LOOK_MS);
    }
  }

  /** Nobody has led for so long that somebody else may. */
  get isLeaderless(): boolean {
    return this.#isReachable && (this.#hasEnded || this.#stillMs >= PATIENCE_MS);
  }

  get #stillMs(): number {
    return this.#options.clock.nowMs() - this.#movedAtMs;
  }

  /** Takes what there is. True when there may be more at once. */
  async step(): Promise<boolean> {
    const { entries, isFull } = await this.#look();
    const safe = entries.filter(({ number }) => number <= this.#confirmed);
    await this.#take(safe);
    return safe.length > 0 && isFull;
  }

  /**
   * Begins a term behind everything that is there. Undefined when somebody leads after all, or the outcome isn't known, or
   * the log can't be reached: follow on. Rejects like `follow`.
   */
  async lead(node: Leader): Promise<Begun | undefined> {
    return await this.#reached(async () => {
      const { table, compare } = this.#options;
      while (await this.step()) {
        // Further.
      }
      const { entries: tail, beats } = await this.#look();
      // Somebody else was faster, or this process stood still itself and finds only now that the leader has moved.
      if (!this.isLeaderless) return undefined;
      compare?.(await table.newestFacts());
      const head = tail.at(-1) ?? { number: this.#place.entry, term: this.#place.term };
      const begin: Entry = {
        number: head.number + 1,
        term: head.term + 1,
        kind: 'term',
        confirmed: this.#confirmed,
        bytes: beginningOf(node),
      };
      if ((await table.insert([begin], head.term, beats)) !== 'confirmed') return undefined;
      // It has taken all before it along to the quorum.
      this.#confirmed = begin.number;
      await this.#take([...tail, begin]);
      return { term: begin.term, entry: begin.number };
    });
  }

  /** The entries behind the last one that was taken, which are not taken yet. `isFull`: there may be more. */
  async #look(): Promise<Seen & { readonly isFull: boolean }> {
    const { table, clock } = this.#options;
    const { entry, term } = this.#place;
    const limit = this.#readEntries;
    const seen = await table.look(entry, limit);
    const isFull = seen.entries.length === limit;
    const newest = seen.entries.at(-1);
    const head = newest?.number ?? entry;
    if (entry > 0 && seen.termAt === undefined && seen.entries.length > 0) {
      throw new ClusterError(
        `the log was trimmed while this node was away, and goes on behind entry ${entry}: empty the folder, and run purser cluster join`,
        'ended',
      );
    }
    if (entry > 0 && seen.termAt !== term) {
      throw new ClusterError(
        `PostgreSQL has lost entries of the log: this node has applied entry ${entry} of term ${term}, which is not there any more`,
        'lost',
      );
    }
    if (!isFull && head < this.#confirmed) {
      throw new ClusterError(
        `PostgreSQL has lost entries of the log: entry ${this.#confirmed} was confirmed, and the log ends with ${head}`,
        'lost',
      );
    }
    if (seen.begin !== undefined) this.#leader ??= leaderOf(seen.begin);
    this.#hasEnded = (newest?.kind ?? this.#takenKind) === 'end';
    const sign = `${seen.beats} ${head}`;
    if (sign !== this.#lastSign) this.#movedAtMs = clock.nowMs();
    this.#lastSign = sign;
    this.#confirmed = Math.max(this.#confirmed, seen.confirmed, newest?.confirmed ?? 0);
    return { ...seen, isFull };
  }

  async #take(entries: readonly Entry[]): Promise<void> {
    if (entries.length > 0) await this.#options.take(entries);
    for (const { number, term, kind, bytes } of entries) {
      this.#place = { entry: number, term };
      if (kind === 'term') this.#leader = leaderOf(bytes);
      this.#takenKind = kind;
      const heir = kind === 'end' ? dissolvedInto(bytes) : undefined;
      if (heir !== undefined)
        throw new ClusterError(
          `the cluster was dissolved: the folder of node ${heir} goes on alone`,
          'ended',
        );
    }
  }

  /** Undefined when PostgreSQL could not be reached. */
  async #reached<Result>(ask: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await ask();
      this.#isReachable = true;
      this.#readEntries = Math.min(2 * this.#readEntries, READ_ENTRIES);
      return result;
    } catch (error) {
      if (!ClusterError.is(error, 'unreachable', 'unknown')) throw error;
      if (this.#isReachable) this.#options.onUnreachable?.(error);
      this.#isReachable = false;
      this.#readEntries = Math.max(1, Math.floor(this.#readEntries / 2));
      // Whoever leads could not be seen: it gets its whole time again.
      this.#movedAtMs = this.#options.clock.nowMs();
      return undefined;
    }
  }
}

/** The bytes of the entry that begins a term. No other has the same: two that want its place are told apart. */
export function beginningOf({ node, url }: Leader): Buffer {
  return Buffer.from(JSON.stringify({ node, url, nonce: randomBytes(8).toString('hex') }));
}

function leaderOf(bytes: Buffer): Leader {
  const { node, url } = JSON.parse(bytes.toString()) as Leader;
  return { node, url };
}

/** The bytes of the last entry of a dissolved log. */
export function endOfCluster(node: string): Buffer {
  return Buffer.from(JSON.stringify({ dissolved: node }));
}

/** The node whose folder goes on alone; undefined when a leader has stopped, and nothing else. */
export function dissolvedInto(bytes: Buffer): string | undefined {
  return bytes.length === 0 ? undefined : (JSON.parse(bytes.toString()) as { dissolved?: string }).dissolved;
}
