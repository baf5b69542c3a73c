/**
 * Who uses the processor: the system under load, the kernel, everybody else, and the host outside this machine.
 *
 * A figure made while others use the machine says little, so every window is read at both ends. What always
 * holds: a process counts for the system when it is the system's process or a descendant of it; time that an
 * ended child has used is its parent's. Interrupts are in nobody's time: under load they are the load's own.
 * Linux only; elsewhere nothing is known.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Ticks a second in /proc: 100 on every Linux that node runs on. */
const TICKS_PER_SECOND = 100;
const KERNEL_THREADS = 2;

/** From here on a window is disturbed: a fifth of a core that others have is more than most differences looked for. */
export const DISTURBED_FROM_SHARE = 0.2;
/** All in milliseconds, since the machine or the process started. */
export interface MachineTime {
  readonly atMs: number;
  readonly unixMs: number;
  /** The process and its descendants. */
  readonly systemMs: number;
  /** Programs that are neither the system's nor the benchmark's; the load processes are still in it. */
  readonly othersMs: number;
  /** This machine could have run, and its host ran another one. */
  readonly stolenMs: number;
}

interface ProcessTime {
  readonly parent: number;
  readonly ownMs: number;
  readonly withEndedChildrenMs: number;
}

/** `pid` is the system's. Undefined where the operating system doesn't tell. */
export function readMachineTime(pid: number): MachineTime | undefined {
  const [user = Number.NaN, nice = 0, kernel = 0, , , , , stolen = 0] = machineTicks();
  if (Number.isNaN(user)) return undefined;
  const processes = readProcesses();
  const system = descendants(processes, pid);
  let systemMs = 0;
  let kernelThreadsMs = 0;
  for (const [id, { parent, ownMs, withEndedChildrenMs }] of processes) {
    if (system.has(id)) systemMs += withEndedChildrenMs;
    else if (parent === KERNEL_THREADS) kernelThreadsMs += ownMs;
  }
  const benchmarkMs = system.has(process.pid) ? 0 : (processes.get(process.pid)?.ownMs ?? 0);
  const programsMs = milliseconds(user + nice + kernel) - kernelThreadsMs;
  return {
    atMs: performance.now(),
    unixMs: Date.now(),
    systemMs,
    othersMs: programsMs - systemMs - benchmarkMs,
    stolenMs: milliseconds(stolen),
  };
}

/** Of one core, what others and the host used between two readings; 0 where nothing is known. */
export function othersShare(from: MachineTime | undefined, to: MachineTime | undefined): number {
  if (from === undefined || to === undefined || to.atMs <= from.atMs) return 0;
  const usedMs = to.othersMs - from.othersMs + to.stolenMs - from.stolenMs;
  return Math.max(0, usedMs / (to.atMs - from.atMs));
}

/** Processor time of a process and its descendants so far, in milliseconds; undefined when it can't be known. */
export function processorTimeMs(pid: number): number | undefined {
  return readMachineTime(pid)?.systemMs;
}

/**
 * Waits until everything that the benchmark has started hardly uses the processor for 200 ms, so that work left
 * over from one window isn't paid for in the next. Gives up after 5 s: a system that never rests is measured as
 * it is, and makes the others' windows disturbed ones.
 */
export async function untilQuiet(): Promise<void> {
  const intervalMs = 200;
  for (let waitedMs = 0; waitedMs < 5_000; waitedMs += intervalMs) {
    const beforeMs = processorTimeMs(process.pid);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
    const afterMs = processorTimeMs(process.pid);
    if (beforeMs === undefined || afterMs === undefined || afterMs - beforeMs <= intervalMs / 20) return;
  }
}

function machineTicks(): number[] {
  const text = readOrNothing('/proc/stat');
  return (text.split('\n', 1)[0] ?? '').trim().split(/\s+/).slice(1).map(Number);
}

function readProcesses(): Map<number, ProcessTime> {
  const processes = new Map<number, ProcessTime>();
  for (const name of namesOf('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const stat = readOrNothing(`/proc/${name}/stat`);
    // The program's name may hold spaces and brackets: the numbers begin after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = (at: number) => milliseconds(Number(fields[at]));
    const ownMs = ticks(11) + ticks(12);
    if (Number.isNaN(ownMs)) continue;
    processes.set(pid, {
      parent: Number(fields[1]),
      ownMs,
      withEndedChildrenMs: ownMs + ticks(13) + ticks(14),
    });
  }
  return processes;
}

function descendants(processes: ReadonlyMap<number, ProcessTime>, pid: number): Set<number> {
  const found = new Set<number>(processes.has(pid) ? [pid] : []);
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const [id, { parent }] of processes) if (found.has(parent)) found.add(id);
  }
  return found;
}

function milliseconds(ticks: number): number {
  return (ticks * 1000) / TICKS_PER_SECOND;
}

function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A process may end while it is looked at. */
function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
