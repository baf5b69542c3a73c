/** One window of load against one server: the client's measurements and the server's own counters, together. */
import type { OperatorClient } from '../../test/support/operator-client.ts';
import type { LaneMeasurement, LoadGenerator } from '../load/load-generator.ts';
import type { LoadPlan } from '../load/plan.ts';
import { type JournalCounters, meanGroupSize, readJournalCounters } from './journal-counters.ts';
import { isDisturbed, type MachineTime, readMachineTime, sharesBetween, untilQuiet } from './machine-time.ts';

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
  /** The server's share of one core, all threads together; undefined where the system doesn't tell. */
  readonly serverCpuShare: number | undefined;
  /** The share of one core of other programs than the server, the load generator and the benchmark. */
  readonly otherCpuShare: number | undefined;
  /** The share of one core that the host of a virtual machine took. */
  readonly stolenShare: number | undefined;
  /** Whether the two were too much for a figure. */
  readonly disturbed: boolean;
  /** The share of one core of the busiest load process. */
  readonly clientCpuShare: number;
  readonly answers: readonly (readonly Buffer[])[];
}

/** Taken at both ends of the measured time. */
interface Reading {
  readonly counters: JournalCounters | undefined;
  readonly machine: MachineTime | undefined;
  readonly unixMs: number;
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
  const readMachine = () => readMachineTime(server.pid, generator.pids);
  const read = async (): Promise<Reading> => ({
    unixMs: Date.now(),
    machine: readMachine(),
    counters: await readJournalCounters(server.operator),
  });
  let from: Reading | undefined;
  let to: Reading | undefined;
  const load = await generator.run(fullPlan, {
    // For the server a connection may not be open yet when it is for the client: it has to be accepted first.
    onPrepared: async () => {
      if (!isBesideOthers) await untilQuiet();
    },
    onMeasuring: async () => {
      from = await read();
    },
    onMeasured: async () => {
      to = await read();
    },
  });
  const shares = sharesBetween(from?.machine, to?.machine);
  return {
    lanes: load.lanes,
    measuredMs: load.measuredMs,
    fromMs: from?.unixMs ?? Number.NaN,
    toMs: to?.unixMs ?? Number.NaN,
    groupSize: meanGroupSize(from?.counters, to?.counters),
    serverCpuShare: shares?.system,
    otherCpuShare: shares?.others,
    stolenShare: shares?.stolen,
    disturbed: isDisturbed(shares),
    clientCpuShare: load.clientCpuShare,
    answers: load.answers,
  };
}
