/**
 * The users of the processor: the system under load, everybody else, and the host outside this machine.
 *
 * A figure made while others use the machine says little, so every window is read at both ends. Invariant: a process
 * counts for the system when it is the system's process or a descendant of it. Threads of the kernel and interrupts
 * count for nobody: under load they work for the load. The processes of the benchmark itself count for nobody either.
 * Linux only; elsewhere nothing is known.
 *
 * Time that an ended child has used is its parent's, so that nothing is lost when it ends. The first process is an
 * exception: it also collects what the benchmark has killed, and that is not others' time.
 */
import { readFileSync } from 'node:fs';
import { processTree, readProcesses } from './process-tree.ts';

/** The first process, and the parent of the kernel's threads. */
const [INIT, KERNEL] = [1, 2];
const MILLISECONDS_A_TICK = 10;

/** From here on a window is disturbed: a fifth of a core that others have is more than most differences looked for. */
export const DISTURBED_FROM_SHARE = 0.2;

/** All in milliseconds, since the machine or the process started. */
export interface MachineTime {
  readonly atMs: number;
  readonly unixMs: number;
  /** The process and its descendants. */
  readonly systemMs: number;
  /** Programs that are neither the system's nor the benchmark's. */
  readonly othersMs: number;
  /** Time in which this machine could have run, and its host ran another one. */
  readonly stolenMs: number;
}

/** `pid` is the system's, `own` are the benchmark's processes. Undefined where the operating system doesn't tell. */
export function readMachineTime(pid: number, own: readonly number[] = []): MachineTime | undefined {
  const stolenMs = readStolenMs();
  if (stolenMs === undefined) return undefined;
  const processes = readProcesses();
  const system = new Set(processTree(pid, processes));
  const aside = new Set([...own, process.pid]);
  let systemMs = 0;
  let othersMs = 0;
  for (const [id, { parent, ownMs, endedChildrenMs }] of processes) {
    if (system.has(id)) systemMs += ownMs + endedChildrenMs;
    else if (parent !== KERNEL && !aside.has(id)) othersMs += ownMs + (id === INIT ? 0 : endedChildrenMs);
  }
  return { atMs: performance.now(), unixMs: Date.now(), systemMs, othersMs, stolenMs };
}

/** Parts of one core, between two readings. */
export interface MachineShares {
  readonly system: number;
  readonly others: number;
  readonly stolen: number;
}

/** Undefined where nothing is known. */
export function sharesBetween(
  from: MachineTime | undefined,
  to: MachineTime | undefined,
): MachineShares | undefined {
  if (from === undefined || to === undefined || to.atMs <= from.atMs) return undefined;
  const shareOf = (timeOf: (time: MachineTime) => number) =>
    Math.max(0, (timeOf(to) - timeOf(from)) / (to.atMs - from.atMs));
  return {
    system: shareOf((time) => time.systemMs),
    others: shareOf((time) => time.othersMs),
    stolen: shareOf((time) => time.stolenMs),
  };
}

export function isDisturbed(shares: MachineShares | undefined): boolean {
  return shares !== undefined && shares.others + shares.stolen > DISTURBED_FROM_SHARE;
}

/** Processor time of a process and its descendants so far, in milliseconds; undefined when it can't be known. */
export function processorTimeMs(pid: number): number | undefined {
  return readMachineTime(pid)?.systemMs;
}

/** The share of one core below which a process is quiet. */
const QUIET_SHARE = 0.1;

/**
 * Waits until a process with all that it has started, of the benchmark if none is named, hardly uses the processor for
 * `spanMs`, so that work left over from one window isn't paid for in the next. Gives up after a while, by default 5 s: a
 * system that never rests is measured as it is, and makes the others' windows disturbed ones.
 */
export async function untilQuiet(pid = process.pid, patienceMs = 5_000, spanMs = 100): Promise<void> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += spanMs) {
    const beforeMs = processorTimeMs(pid);
    await new Promise((resolve) => setTimeout(resolve, spanMs));
    const afterMs = processorTimeMs(pid);
    if (beforeMs === undefined || afterMs === undefined || afterMs - beforeMs <= spanMs * QUIET_SHARE) return;
  }
}

function readStolenMs(): number | undefined {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1);
    return Number(line.trim().split(/\s+/)[8] ?? 0) * MILLISECONDS_A_TICK;
  } catch {
    return undefined;
  }
}
