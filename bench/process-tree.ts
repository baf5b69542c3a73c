/**
 * A process and everything it has started, to be measured or ended together. Linux only: it reads /proc.
 *
 * A process group would not do: PostgreSQL gives each of its processes a group of its own.
 */
import { readdirSync, readFileSync } from 'node:fs';

/** The process itself first; without those that have ended and only wait to be noticed. */
export function processTree(pid: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = parentOf(name);
    if (parent === undefined) continue;
    const children = childrenOf.get(parent);
    if (children === undefined) childrenOf.set(parent, [Number(name)]);
    else children.push(Number(name));
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
  return parentOf(String(pid)) !== undefined;
}

/** Undefined when it has ended. */
function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name may hold spaces and brackets: the other fields begin after the last one.
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' || state === 'X' ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}
