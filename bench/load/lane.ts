/** What one lane of a window has measured so far; and how its answers are picked apart by status. */
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

export interface LaneResult {
  readonly name: string;
  /** Answers that arrived while measuring, of any status. */
  readonly answers: number;
  readonly statuses: readonly (readonly [status: number, count: number])[];
  /** Microseconds, as hdr-histogram encodes them. */
  readonly latency: string;
}

export class Lane {
  readonly plan: LanePlan;
  readonly index: number;
  /** Of an open loop. */
  readonly pacer: Pacer | undefined;
  readonly #latency: Histogram = build(latencyHistogram);
  readonly #statuses = new Uint32Array(600);

  constructor(plan: LanePlan, index: number) {
    this.plan = plan;
    this.index = index;
    this.pacer = plan.perSecond === undefined ? undefined : new Pacer(plan.perSecond);
  }

  record(status: number, latencyMs: number): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    const latencyMicros = Math.round(latencyMs * 1000);
    this.#latency.recordValue(Math.min(Math.max(latencyMicros, 1), latencyHistogram.highestTrackableValue));
  }

  result(): LaneResult {
    const statuses = [...this.#statuses.entries()].filter(([, count]) => count > 0);
    return {
      name: this.plan.name,
      answers: statuses.reduce((sum, [, count]) => sum + count, 0),
      statuses,
      latency: encodeIntoCompressedBase64(this.#latency),
    };
  }
}
