/** The figures of one lane of a window so far; and the way its answers are picked apart by status. */
import { build, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';
import { Pacer } from './pacer.ts';
import type { LanePlan } from './plan.ts';

export const latencyHistogram = {
  bitBucketSize: 32,
  autoResize: false,
  lowestDiscernibleValue: 1,
  highestTrackableValue: 120_000_000,
  numberOfSignificantValueDigits: 3,
} as const;

/** When answers arrived while measuring: Unix milliseconds, undefined for what never did. */
export interface ArrivalTimes {
  readonly firstPurchaseMs: number | undefined;
  readonly lastPurchaseMs: number | undefined;
  /** The last answer that was no 201. */
  readonly lastOtherMs: number | undefined;
}

export interface LaneResult extends ArrivalTimes {
  readonly name: string;
  /** Answers that arrived while measuring, of any status. */
  readonly answers: number;
  readonly statuses: readonly (readonly [status: number, count: number])[];
  /** Microseconds, as hdr-histogram encodes them. */
  readonly latency: string;
}

const purchased = 201;
/** Where the times of `ArrivalTimes` are kept. */
const [firstPurchase, lastPurchase, lastOther] = [0, 1, 2];

export class Lane {
  readonly plan: LanePlan;
  readonly index: number;
  /** The pacer of an open loop. */
  readonly pacer: Pacer | undefined;
  readonly #latency: Histogram = build(latencyHistogram);
  readonly #statuses = new Uint32Array(600);
  /** From the begin of the measured time, NaN until there is one. In an array, where a number needs no memory. */
  readonly #arrivals = new Float64Array(3).fill(Number.NaN);

  constructor(plan: LanePlan, index: number) {
    this.plan = plan;
    this.index = index;
    this.pacer = plan.perSecond === undefined ? undefined : new Pacer(plan.perSecond);
  }

  /** `atMs`: when it arrived, from the begin of the measured time. */
  record(status: number, latencyMs: number, atMs: number): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    const latencyMicros = Math.round(latencyMs * 1000);
    this.#latency.recordValue(Math.min(Math.max(latencyMicros, 1), latencyHistogram.highestTrackableValue));
    if (status !== purchased) {
      this.#arrivals[lastOther] = atMs;
      return;
    }
    if (this.#statuses[purchased] === 1) this.#arrivals[firstPurchase] = atMs;
    this.#arrivals[lastPurchase] = atMs;
  }

  /** `fromMs`: the begin of the measured time, Unix milliseconds. */
  result(fromMs: number): LaneResult {
    const statuses = [...this.#statuses.entries()].filter(([, count]) => count > 0);
    const unixMs = (arrival: number) => {
      const atMs = this.#arrivals[arrival] ?? Number.NaN;
      return Number.isNaN(atMs) ? undefined : fromMs + atMs;
    };
    return {
      name: this.plan.name,
      answers: statuses.reduce((sum, [, count]) => sum + count, 0),
      statuses,
      latency: encodeIntoCompressedBase64(this.#latency),
      firstPurchaseMs: unixMs(firstPurchase),
      lastPurchaseMs: unixMs(lastPurchase),
      lastOtherMs: unixMs(lastOther),
    };
  }
}
