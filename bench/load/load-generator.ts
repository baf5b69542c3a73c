/**
 * All load processes as one: a plan goes in, one merged measurement and every answer come out.
 *
 * The processes stay alive between windows, so that their code is compiled once and warm for every one.
 */
import { decodeFromCompressedBase64, type Histogram } from 'hdr-histogram-js';
import type { Aside } from '../measure/aside.ts';
import { type ArrivalTimes, type LaneResult, latencyHistogram } from './lane.ts';
import { LoadProcess, type ProcessWindow } from './load-process.ts';
import { dividePlan, type LoadPlan, mostParts } from './plan.ts';
import type { Unanswered } from './squad.ts';

export interface LaneMeasurement extends ArrivalTimes {
  readonly name: string;
  readonly answers: number;
  readonly answersPerSecond: number;
  readonly statuses: ReadonlyMap<number, number>;
  /** Microseconds. */
  readonly latency: Histogram;
  /** When the measured time began in the first load process: Unix milliseconds, as all times. */
  readonly fromMs: number;
}

export interface LoadMeasurement {
  readonly lanes: readonly LaneMeasurement[];
  /** The longest of the load processes'. */
  readonly measuredMs: number;
  /** The share of a core of the busiest load process: 1 is one core used up by the client itself. */
  readonly clientCpuShare: number;
  /** One list of chunks for each load process, each of which numbers its keys from 0. */
  readonly answers: readonly (readonly Buffer[])[];
  /** Requests without an answer, of lanes whose connections may break. */
  readonly unanswered: readonly Unanswered[];
}

interface MeasurementEdges {
  /** All connections are open and nothing was sent: sending begins when this resolves. */
  readonly onPrepared?: () => Promise<void>;
  /** At both ends of the measured time, to read the server's counters. */
  readonly onMeasuring: () => Promise<void>;
  readonly onMeasured: () => Promise<void>;
}

export class LoadGenerator {
  readonly #processes: readonly LoadProcess[];

  private constructor(processes: readonly LoadProcess[]) {
    this.#processes = processes;
  }

  /** For `aside` see `LoadProcess.start`. */
  static start(processCount: number, aside?: Aside): LoadGenerator {
    return new LoadGenerator(Array.from({ length: processCount }, () => LoadProcess.start(aside)));
  }

  /** Runs one window. Rejects when a connection broke or an answer never came: no figure is made of that. */
  async run(plan: LoadPlan, edges: MeasurementEdges): Promise<LoadMeasurement> {
    const parts = dividePlan(plan, Math.min(this.#processes.length, mostParts(plan)));
    const processes = this.#processes.slice(0, parts.length);
    await Promise.all(processes.map((process, index) => process.prepare(parts[index] ?? plan)));
    await edges.onPrepared?.();
    await Promise.all(processes.map((process) => process.go()));
    await edges.onMeasuring();
    await Promise.all(processes.map((process) => process.measured()));
    await edges.onMeasured();
    return merge(await Promise.all(processes.map((process) => process.finish())));
  }

  /** Ends the window that is being run before its time; its last answers are waited for. */
  enough(): void {
    for (const process of this.#processes) process.enough();
  }

  /** The ids of the load processes. */
  get pids(): number[] {
    return this.#processes.map(({ pid }) => pid);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.stop()));
  }
}

function merge(windows: readonly ProcessWindow[]): LoadMeasurement {
  const results = windows.map((window) => window.result);
  const busiest = results.reduce((one, other) => (cpuShare(other) > cpuShare(one) ? other : one));
  const names = results[0]?.lanes.map((lane) => lane.name) ?? [];
  return {
    lanes: names.map((name, index) => mergeLane(name, index, windows)),
    measuredMs: Math.max(...results.map((result) => result.measuredMs)),
    clientCpuShare: cpuShare(busiest),
    answers: windows.map((window) => window.answers),
    unanswered: results.flatMap((result) => result.unanswered),
  };
}

function mergeLane(name: string, index: number, windows: readonly ProcessWindow[]): LaneMeasurement {
  const parts = windows.flatMap(({ result: { lanes, fromMs, measuredMs } }) => {
    const lane = lanes[index];
    return lane === undefined ? [] : [{ ...lane, fromMs, measuredMs }];
  });
  const statuses = new Map<number, number>();
  for (const [status, count] of parts.flatMap((part) => part.statuses))
    statuses.set(status, (statuses.get(status) ?? 0) + count);
  const [latency, ...others] = parts.map((part) =>
    decodeFromCompressedBase64(part.latency, latencyHistogram.bitBucketSize),
  );
  if (latency === undefined) throw new Error(`no load process measured lane "${name}"`);
  for (const other of others) latency.add(other);
  return {
    name,
    answers: parts.reduce((sum, { answers }) => sum + answers, 0),
    answersPerSecond: parts.reduce((sum, { answers, measuredMs }) => sum + (answers * 1000) / measuredMs, 0),
    statuses,
    latency,
    fromMs: Math.min(...parts.map(({ fromMs }) => fromMs)),
    ...arrivalTimes(parts),
  };
}

function arrivalTimes(parts: readonly LaneResult[]): ArrivalTimes {
  const known = (name: keyof ArrivalTimes) =>
    parts.map((part) => part[name]).filter((time) => time !== undefined);
  const first = known('firstPurchaseMs');
  const last = known('lastPurchaseMs');
  const other = known('lastOtherMs');
  return {
    firstPurchaseMs: first.length === 0 ? undefined : Math.min(...first),
    lastPurchaseMs: last.length === 0 ? undefined : Math.max(...last),
    lastOtherMs: other.length === 0 ? undefined : Math.max(...other),
  };
}

function cpuShare(result: ProcessWindow['result']): number {
  return (result.userCpuMs + result.systemCpuMs) / Math.max(result.measuredMs, 1e-9);
}
