/**
 * Sums of the facts at the edges of periods, read from the journal once for all pages of a report.
 *
 * Invariant: sums that are kept never change. The facts of an edge that is over are the same for ever; the sums of one
 * that goes on are kept as those up to a position. Memory is bounded by rows, and given back a while after the last
 * question. Rejected: to carry the sums in the cursor, for a page needs those of its rows, which the page before
 * doesn't know.
 */
import type { FactFeed, PeriodSums } from '../../../feed/fact-feed.ts';
import type { SumsOf } from '../../../persistence/checkpoint/day-sums.ts';
import type { Period } from '../moment.ts';

const MAX_KEPT = 16;
/** The most rows of all sums that are kept together: some ten megabytes. */
const MAX_KEPT_ROWS = 100_000;
/** The time for which sums are kept after the last question. Pages of one report follow each other faster. */
const KEPT_MS = 60_000;

export interface EdgeQuestion extends Period {
  readonly of: SumsOf;
  /** Position up to which facts are summed. */
  readonly through: number;
  /** Whether all facts of the period are before `through`. */
  readonly isOver: boolean;
}

export type EdgeSums = Awaited<ReturnType<FactFeed['sumsOf']>>;

export class PeriodEdges {
  readonly #feed: Pick<FactFeed, 'sumsOf'>;
  /** Sums that are kept; those that were asked for last come last. */
  readonly #kept = new Map<string, PeriodSums>();
  /** Edges that are being read. */
  readonly #underWay = new Map<string, Promise<EdgeSums>>();
  #rows = 0;
  #end: NodeJS.Timeout | undefined;

  constructor(feed: Pick<FactFeed, 'sumsOf'>) {
    this.#feed = feed;
  }

  /** Sums as `FactFeed.sumsOf` gives them. Others have the same sums: don't change them. */
  async sumsOf({ of, fromMs, toMs, through, isOver }: EdgeQuestion): Promise<EdgeSums> {
    const name = `${of} ${fromMs} ${toMs} ${isOver ? 'over' : through}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      this.#keep(name, kept);
      return kept;
    }
    const underWay = this.#underWay.get(name) ?? this.#read(name, { of, fromMs, toMs, through });
    return await underWay;
  }

  #read(name: string, question: Omit<EdgeQuestion, 'isOver'>): Promise<EdgeSums> {
    const reading = this.#feed
      .sumsOf(question)
      .then((sums) => {
        if (typeof sums !== 'string') this.#keep(name, sums);
        return sums;
      })
      .finally(() => this.#underWay.delete(name));
    this.#underWay.set(name, reading);
    return reading;
  }

  #keep(name: string, sums: PeriodSums): void {
    this.#drop(name);
    this.#kept.set(name, sums);
    this.#rows += sums.rows.size;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_KEPT && this.#rows <= MAX_KEPT_ROWS) break;
      this.#drop(oldest);
    }
    clearTimeout(this.#end);
    this.#end = setTimeout(() => this.#dropAll(), KEPT_MS).unref();
  }

  #drop(name: string): void {
    this.#rows -= this.#kept.get(name)?.rows.size ?? 0;
    this.#kept.delete(name);
  }

  #dropAll(): void {
    this.#kept.clear();
    this.#rows = 0;
  }
}
