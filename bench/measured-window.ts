/** One window of load against one server: the client's measurements and the server's own counters, together. */
import type { OperatorClient } from '../test/support/operator-client.ts';
import { type JournalCounters, meanGroupSize, readJournalCounters } from './journal-counters.ts';
import type { LaneMeasurement, LoadGenerator } from './load/load-generator.ts';
import type { LoadPlan } from './load/plan.ts';
import { machineTimeMs, processorTimeMs, untilQuiet } from './process-usage.ts';

export interface ServerUnderLoad {
  /** Ends with `/api/v1/buyer`. */
  readonly buyerUrl: string;
  readonly operator: OperatorClient;
  readonly pid: number;
}

export interface MeasuredWindow {
  readonly lanes: readonly LaneMeasurement[];
  readonly measuredMs: number;
  /** When that was, Unix milliseconds. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Facts per group commit; undefined when the server doesn't count them. */
  readonly groupSize: number | undefined;
  /** Of one core, all threads together; undefined where the system doesn't tell. */
  readonly serverCpuShare: number | undefined;
  /** Of one core: what neither the server nor the load generator used. Much of it spoils the figures. */
  readonly otherCpuShare: number | undefined;
  /** Of one core, the busiest load process. */
  readonly clientCpuShare: number;
  readonly clientSystemShare: number;
  readonly answers: readonly (readonly Buffer[])[];
}

/** Taken at both ends of the measured time. */
interface Reading {
  readonly counters: JournalCounters | undefined;
  readonly serverMs: number | undefined;
  readonly machineMs: number | undefined;
  readonly unixMs: number;
  readonly atMs: number;
}

/** Bounds what a window keeps of answers; about two million of them. */
const maxAnswerBytes = 640 * 1024 * 1024;

export type WindowPlan = Omit<LoadPlan, 'host' | 'port' | 'path' | 'maxAnswerBytes'>;

/** `plan`, aimed at a server. */
export function aimedAt({ buyerUrl }: ServerUnderLoad, plan: WindowPlan): LoadPlan {
  const url = new URL(buyerUrl);
  const { hostname: host, pathname } = url;
  return { ...plan, host, port: Number(url.port), path: `${pathname}/orders`, maxAnswerBytes };
}

/** `isBesideOthers`: the server has other load, so nobody waits for it to be at rest. */
export async function measureWindow(
  server: ServerUnderLoad,
  generator: LoadGenerator,
  plan: WindowPlan,
  isBesideOthers = false,
): Promise<MeasuredWindow> {
  const fullPlan = aimedAt(server, plan);
  const read = async (): Promise<Reading> => ({
    unixMs: Date.now(),
    counters: await readJournalCounters(server.operator),
    serverMs: await processorTimeMs(server.pid),
    machineMs: await machineTimeMs(),
    atMs: performance.now(),
  });
  if (!isBesideOthers) await untilQuiet(server.pid);
  let from: Reading | undefined;
  let to: Reading | undefined;
  const load = await generator.run(fullPlan, {
    onMeasuring: async () => {
      from = await read();
    },
    onMeasured: async () => {
      to = await read();
    },
  });
  const serverCpuShare = shareBetween(from, to, (reading) => reading.serverMs);
  const machineShare = shareBetween(from, to, (reading) => reading.machineMs);
  return {
    lanes: load.lanes,
    measuredMs: load.measuredMs,
    fromMs: from?.unixMs ?? Number.NaN,
    toMs: to?.unixMs ?? Number.NaN,
    groupSize: meanGroupSize(from?.counters, to?.counters),
    serverCpuShare,
    otherCpuShare:
      machineShare === undefined || serverCpuShare === undefined
        ? undefined
        : Math.max(0, machineShare - serverCpuShare - load.clientsCpuShare),
    clientCpuShare: load.clientCpuShare,
    clientSystemShare: load.clientSystemShare,
    answers: load.answers,
  };
}

/** Processor time by time passed, between two readings. */
function shareBetween(
  from: Reading | undefined,
  to: Reading | undefined,
  timeMs: (reading: Reading) => number | undefined,
): number | undefined {
  const fromMs = from === undefined ? undefined : timeMs(from);
  const toMs = to === undefined ? undefined : timeMs(to);
  if (from === undefined || to === undefined || fromMs === undefined || toMs === undefined) return undefined;
  return (toMs - fromMs) / (to.atMs - from.atMs);
}
