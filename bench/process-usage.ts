/** What the operating system says about processes and the machine. Linux only; elsewhere nothing is known. */
import { readFile } from 'node:fs/promises';

/** Ticks a second in /proc: 100 on every Linux that node runs on. */
const ticksPerSecond = 100;

/** Processor time of all threads so far, in milliseconds; undefined when it can't be known. */
export async function processorTimeMs(pid: number): Promise<number | undefined> {
  const stat = await readProc(pid, 'stat');
  // The name may hold spaces and brackets: the numbers begin after the last one.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const userTicks = Number(fields?.[11]);
  const systemTicks = Number(fields?.[12]);
  return Number.isFinite(userTicks + systemTicks)
    ? ((userTicks + systemTicks) * 1000) / ticksPerSecond
    : undefined;
}

/** Processor time that the whole machine has used or lost to its neighbours so far, in milliseconds. */
export async function machineTimeMs(): Promise<number | undefined> {
  const stat = await readOrNothing('/proc/stat');
  const ticks = stat?.split('\n', 1)[0]?.trim().split(/\s+/).slice(1).map(Number);
  if (ticks === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = ticks;
  return ((user + nice + system + interrupts + softInterrupts + stolen) * 1000) / ticksPerSecond;
}

/** Memory that is the process's own, without mapped files, in bytes. */
export async function anonymousBytes(pid: number): Promise<number | undefined> {
  return (await memoryUse(pid))?.anonymousBytes;
}

export interface MemoryUse {
  readonly anonymousBytes: number;
  /** Mapped files: pages that the system takes back when it needs room. */
  readonly fileBytes: number;
  readonly residentBytes: number;
  /** The most that `residentBytes` has been since the process started. */
  readonly mostResidentBytes: number;
}

export async function memoryUse(pid: number): Promise<MemoryUse | undefined> {
  const status = await readProc(pid, 'status');
  if (status === undefined) return undefined;
  const bytesOf = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  const use = {
    anonymousBytes: bytesOf('RssAnon'),
    fileBytes: bytesOf('RssFile'),
    residentBytes: bytesOf('VmRSS'),
    mostResidentBytes: bytesOf('VmHWM'),
  };
  return Number.isNaN(use.residentBytes) ? undefined : use;
}

/**
 * Waits until the process has hardly used the processor for 200 ms, so that work left over from one window
 * isn't paid for in the next. Gives up after 5 s: a server that never rests is measured as it is.
 */
export async function untilQuiet(pid: number): Promise<void> {
  const intervalMs = 200;
  for (let waitedMs = 0; waitedMs < 5_000; waitedMs += intervalMs) {
    const beforeMs = await processorTimeMs(pid);
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
    const afterMs = await processorTimeMs(pid);
    if (beforeMs === undefined || afterMs === undefined || afterMs - beforeMs <= intervalMs / 20) return;
  }
}

function readProc(pid: number, file: string): Promise<string | undefined> {
  return readOrNothing(`/proc/${pid}/${file}`);
}

async function readOrNothing(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}
