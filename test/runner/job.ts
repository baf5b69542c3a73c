/**
 * A process of the runner: one or more test files, or a check of types. A job is a process group of its own with all
 * that it starts, so that the end of the runner, or the end of its patience, ends all of it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface Job {
  readonly name: string;
  /** The arguments of node. */
  readonly args: readonly string[];
  /** The test files in it, none for a check of types. */
  readonly files: readonly string[];
}

export interface Outcome {
  readonly hasPassed: boolean;
  readonly output: string;
  /** `code 0`, or how else it ended. */
  readonly end: string;
  readonly tookMs: number;
  /** Processor time, in ms, of the job and of what it started and waited for. */
  readonly workedMs: number;
}

/** Runs its arguments, and tells at last how long processors worked for them. */
const TIMED = '"$@"; code=$?; times >&3; exit $code';
const groups = new Set<number>();

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    for (const group of groups) endGroup(group);
    process.kill(process.pid, signal);
  });

/** `onOutput` gets what it says as it comes. A job that takes longer than `patienceMs` is killed, and has failed. */
export async function runJob(
  { args }: Job,
  patienceMs: number,
  onOutput: (text: string) => void = () => {},
): Promise<Outcome> {
  const fromMs = performance.now();
  const command = ['-c', TIMED, 'sh', process.execPath, ...args];
  const child = spawn('/bin/sh', command, { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], detached: true });
  const group = child.pid;
  if (group === undefined) throw new Error('no process could be started');
  groups.add(group);
  const [, out, err, times] = child.stdio as (Readable | null)[];
  const [said, timed] = [[] as string[], [] as string[]];
  for (const stream of [out, err])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said.push(text);
      onOutput(text);
    });
  times?.setEncoding('utf8').on('data', (text: string) => timed.push(text));
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(group);
    // Whoever has left the group may still hold them.
    for (const stream of [out, err, times]) stream?.destroy();
  }, patienceMs);
  const ended = await endOf(child);
  clearTimeout(timer);
  groups.delete(group);
  const end = isLate ? `SIGKILL after ${patienceMs / 1_000} s` : ended;
  return {
    hasPassed: end === 'code 0',
    output: said.join(''),
    end,
    tookMs: performance.now() - fromMs,
    workedMs: millisecondsIn(timed.join('')),
  };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? `code ${code}`)));
}

function endGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // Its last process has just ended.
  }
}

/** `1m2.30s 0m0.45s`, twice: the shell's own time, and its children's. */
function millisecondsIn(times: string): number {
  let seconds = 0;
  for (const [, minutes, rest] of times.matchAll(/(\d+)m([\d.]+)s/g))
    seconds += Number(minutes) * 60 + Number(rest);
  return seconds * 1_000;
}
