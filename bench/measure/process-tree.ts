/**
 * A process and everything it has started, to be measured or ended together. Linux only: it reads /proc.
 *
 * A process group would not do: PostgreSQL gives each of its processes a group of its own.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** Ticks a second in /proc: 100 on every Linux that node runs on. */
const TICKS_PER_SECOND = 100;

export interface ProcessFacts {
  readonly parent: number;
  /** Whether it has ended, and its parent has not noticed yet. */
  readonly hasEnded: boolean;
  /** Processor time of all its threads so far, in milliseconds. */
  readonly ownMs: number;
  /** Processor time of children that have ended, and of theirs, in milliseconds. */
  readonly endedChildrenMs: number;
}

/** All processes of the machine, by their ids; empty where there is no /proc. */
export function readProcesses(): Map<number, ProcessFacts> {
  const processes = new Map<number, ProcessFacts>();
  for (const name of processNames()) {
    const pid = Number(name);
    const facts = Number.isInteger(pid) ? readProcess(pid) : undefined;
    if (facts !== undefined) processes.set(pid, facts);
  }
  return processes;
}

/** The process itself first; without those that have ended and only wait to be noticed. */
export function processTree(pid: number, processes = readProcesses()): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const [id, { parent, hasEnded }] of processes) {
    if (hasEnded) continue;
    const children = childrenOf.get(parent);
    if (children === undefined) childrenOf.set(parent, [id]);
    else children.push(id);
  }
  const tree = [pid];
  for (const member of tree) tree.push(...(childrenOf.get(member) ?? []));
  return tree;
}

/**
 * SIGKILL for all of them, as near to one moment as can be. They are stopped first: one that is still running could
 * start another meanwhile, or notice the end of its server and put something in order.
 */
export function killTree(pid: number): void {
  const stopped = new Set<number>();
  // This process can't stop itself and go on.
  const isDue = (member: number) => member !== process.pid && !stopped.has(member);
  for (let due = processTree(pid).filter(isDue); due.length > 0; due = processTree(pid).filter(isDue)) {
    for (const member of due) {
      stopped.add(member);
      signal(member, 'SIGSTOP');
    }
  }
  for (const member of stopped) signal(member, 'SIGKILL');
  if (pid === process.pid) signal(pid, 'SIGKILL');
}

export function isRunning(pid: number): boolean {
  return readProcess(pid)?.hasEnded === false;
}

/** Undefined when there is none. */
function readProcess(pid: number): ProcessFacts | undefined {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  // The name may hold spaces and brackets: the other fields begin after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const milliseconds = (...at: number[]) =>
    at.reduce((sum, field) => sum + Number(fields[field]), 0) * (1000 / TICKS_PER_SECOND);
  const ownMs = milliseconds(11, 12);
  if (Number.isNaN(ownMs)) return undefined;
  return {
    parent: Number(fields[1]),
    hasEnded: fields[0] === 'Z' || fields[0] === 'X',
    ownMs,
    endedChildrenMs: milliseconds(13, 14),
  };
}

function processNames(): string[] {
  try {
    return readdirSync('/proc');
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

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
