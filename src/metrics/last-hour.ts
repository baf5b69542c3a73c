/**
 * Sales, refusals and durations of purchases in the last hour, for charts that aren't empty when a page opens.
 *
 * Counters that exist anyway are read every ten seconds, and the difference between two readings is what was new: so
 * purchases pay nothing, an hour is 60 rows of a few numbers, and who asks pays for the minute that goes on. In memory
 * only: a start begins with an empty hour. Rejected: counters for each minute, which every purchase would add to;
 * Prometheus, which few small shops have.
 */
import type { HistogramFigures } from './histogram.ts';
import type { RefusalCounter, RefusalCounts } from './refusal-counter.ts';
import type { RequestMeter } from './request-meter.ts';
import type { SalesCounter } from './sales-counter.ts';

const LOOK_MS = 10_000;
/** A bar of a chart is a minute. */
const LOOKS_PER_BAR = 6;
const BARS = 60;
const MINUTE_MS = 60_000;

export interface LastHourOptions {
  readonly sales: Pick<SalesCounter, 'total'>;
  readonly refusals: Pick<RefusalCounter, 'counts'>;
  /** The meter of the route of purchases. */
  readonly purchases: Pick<RequestMeter, 'duration'>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** Milliseconds that never go backwards. */
  readonly monotonicMs: () => number;
}

/** As counted since the start. */
interface Look {
  readonly atMs: number;
  readonly monotonicMs: number;
  readonly orders: number;
  readonly units: number;
  readonly micros: number;
  readonly refusals: RefusalCounts;
  readonly durations: HistogramFigures;
}

/** New sales, refusals and durations within a time. */
export interface Span {
  /** When it began, in Unix milliseconds. */
  readonly atMs: number;
  readonly seconds: number;
  readonly orders: number;
  readonly units: number;
  readonly micros: number;
  readonly refusals: number;
  /** Half of the purchases, and all but one of a hundred, were answered so soon, about; null when there were none. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

export class LastHour {
  readonly #options: LastHourOptions;
  /** The looks of the last minute and a little more, the oldest first. */
  readonly #looks: Look[] = [];
  /** Where bars begin; the last one goes on. */
  readonly #edges: Look[] = [];
  /** The bars that are over. */
  readonly #bars: Span[] = [];
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LastHourOptions) {
    this.#options = options;
  }

  start(): void {
    this.look();
    this.#timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  look(): void {
    const now = this.#now();
    this.#looks.push(now);
    if (this.#looks.length > LOOKS_PER_BAR + 1) this.#looks.shift();
    if (this.#count % LOOKS_PER_BAR === 0) this.#beginBar(now);
    this.#count += 1;
  }

  /** A minute each, the oldest first, and what there is of the one that goes on: 61 at most. */
  get bars(): Span[] {
    const edge = this.#edges.at(-1);
    return edge === undefined ? [] : [...this.#bars, between(edge, this.#now())];
  }

  /** The last ten to twenty seconds, or as long as there was. */
  get justNow(): Span {
    return this.#last(LOOK_MS);
  }

  /** A minute or a little more. */
  get lastMinute(): Span {
    return this.#last(MINUTE_MS);
  }

  /** By error: how many in the last hour. */
  get refusals(): RefusalCounts {
    const { counts } = this.#options.refusals;
    const first = this.#edges[0]?.refusals;
    const entries = Object.entries(counts).map(([code, count]) => {
      return [code, count - (first?.[code as keyof RefusalCounts] ?? 0)] as const;
    });
    return Object.fromEntries(entries) as RefusalCounts;
  }

  #beginBar(now: Look): void {
    const edge = this.#edges.at(-1);
    if (edge !== undefined) this.#bars.push(between(edge, now));
    this.#edges.push(now);
    if (this.#bars.length <= BARS) return;
    this.#bars.shift();
    this.#edges.shift();
  }

  #last(ms: number): Span {
    const now = this.#now();
    const first = this.#looks.findLast((look) => now.monotonicMs - look.monotonicMs >= ms);
    return between(first ?? this.#looks[0] ?? now, now);
  }

  #now(): Look {
    const { sales, refusals, purchases, clock, monotonicMs } = this.#options;
    const { orders, units, micros } = sales.total;
    const counts = { ...refusals.counts };
    const durations = purchases.duration.figures;
    const times = { atMs: clock(), monotonicMs: monotonicMs() };
    return { ...times, orders, units, micros, refusals: counts, durations };
  }
}

function between(first: Look, last: Look): Span {
  return {
    atMs: first.atMs,
    seconds: (last.monotonicMs - first.monotonicMs) / 1_000,
    orders: last.orders - first.orders,
    units: last.units - first.units,
    micros: last.micros - first.micros,
    refusals: sum(last.refusals) - sum(first.refusals),
    p50Ms: quantile(0.5, first.durations, last.durations),
    p99Ms: quantile(0.99, first.durations, last.durations),
  };
}

function sum(counts: RefusalCounts): number {
  return Object.values(counts).reduce((all, count) => all + count, 0);
}

/** As Prometheus reckons it: by where it lies between two bounds. Beyond the last bound it is that. */
function quantile(part: number, first: HistogramFigures, last: HistogramFigures): number | null {
  const total = last.count - first.count;
  if (total === 0) return null;
  let lower = 0;
  let below = 0;
  for (const [at, bound] of last.bounds.entries()) {
    const upTo = (last.counts[at] ?? 0) - (first.counts[at] ?? 0);
    if (upTo >= part * total) {
      const inside = (part * total - below) / (upTo - below);
      return Math.round((lower + inside * (bound - lower)) * 100) / 100;
    }
    lower = bound;
    below = upTo;
  }
  return lower;
}
