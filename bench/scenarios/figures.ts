/** The figures of a result's window, without its system and its round. */
import type { Histogram } from 'hdr-histogram-js';
import type { LaneMeasurement } from '../load/load-generator.ts';
import type { SeriesSlot } from '../load/series.ts';
import type { MeasuredWindow } from '../measure/measured-window.ts';
import type { Measures } from '../report/results.ts';

interface LatencyPoint {
  readonly percentile: number;
  readonly ms: number;
}

export interface ScenarioFigures extends Measures {
  /** As many as were used. */
  readonly connections: number;
  /** Requests a second of an open loop. */
  readonly perSecond?: number;
  /** When the measured time began, Unix milliseconds. */
  readonly fromMs: number;
  readonly latency: readonly LatencyPoint[];
  readonly series: readonly SeriesSlot[];
  /** When others used the machine how much, and whether it was too much; left out where nobody watched. */
  readonly disturbances?: MeasuredWindow['disturbances'];
  readonly disturbed?: boolean;
}

/** The percentiles of a latency distribution, as it is kept and drawn. */
export const percentiles = [50, 75, 90, 95, 99, 99.5, 99.9, 99.99] as const;

/** `copies`: how many answers a purchase has. */
export function laneFigures(lane: LaneMeasurement, copies = 1) {
  const percentileMs = (percentile: number) => lane.latency.getValueAtPercentile(percentile) / 1000;
  const delivered = (lane.statuses.get(201) ?? 0) / copies;
  return {
    purchasesPerSecond: (delivered / Math.max(lane.answers, 1)) * lane.answersPerSecond,
    answersPerSecond: lane.answersPerSecond,
    p50Ms: percentileMs(50),
    p99Ms: percentileMs(99),
    p999Ms: percentileMs(99.9),
    fromMs: lane.fromMs,
    latency: latencyPoints(lane.latency),
    series: lane.series,
  };
}

function latencyPoints(latency: Histogram): LatencyPoint[] {
  return percentiles.map((percentile) => ({
    percentile,
    ms: latency.getValueAtPercentile(percentile) / 1000,
  }));
}

/** The use of the machine meanwhile, as far as it is known. */
export function usageOf(window: MeasuredWindow) {
  const { groupSize, serverCpuShare, clientCpuShare, otherCpuShare, stolenShare } = window;
  return {
    disturbed: window.disturbed,
    disturbances: window.disturbances,
    clientCpuShare,
    ...(groupSize === undefined ? {} : { groupSize }),
    ...(serverCpuShare === undefined ? {} : { serverCpuShare }),
    ...(otherCpuShare === undefined ? {} : { otherCpuShare }),
    ...(stolenShare === undefined ? {} : { stolenShare }),
  };
}

/** Unix milliseconds by the clock that the times of a lane are taken from. */
export function unixNowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** The one lane of a window, or its tally. */
export function only<Lane>(lanes: readonly Lane[]): Lane {
  const [lane] = lanes;
  if (lane === undefined) throw new Error('a window without a lane');
  return lane;
}
