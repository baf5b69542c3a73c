/** The figures of a result's window, without its system and its round. */
import type { LaneMeasurement } from '../load/load-generator.ts';
import type { MeasuredWindow } from '../measure/measured-window.ts';
import type { Measures } from '../report/results.ts';

export interface ScenarioFigures extends Measures {
  /** As many as were used. */
  readonly connections: number;
  /** Requests a second of an open loop. */
  readonly perSecond?: number;
  /** When the measured time began, Unix milliseconds. */
  readonly fromMs: number;
  /** As many as came in it. */
  readonly answers: number;
  /** Whether others used the machine too much; left out where nobody watched. */
  readonly disturbed?: boolean;
}

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
    answers: lane.answers,
  };
}

/** The use of the machine meanwhile, as far as it is known. */
export function usageOf(window: MeasuredWindow) {
  const { groupSize, serverCpuShare, clientCpuShare, otherCpuShare, stolenShare } = window;
  return {
    disturbed: window.disturbed,
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
