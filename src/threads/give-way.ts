/**
 * Threads and processes that work behind the traffic give way to it: without this, a fold on a busy machine takes the time
 * that purchases, their commits and their clients wait for.
 */
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const THREAD_NICENESS = 10;
const ITSELF = 0;

/** Lowers the priority of the calling thread alone (Linux; elsewhere of nothing). */
export function giveWay(): void {
  if (process.platform === 'linux') lowerPriority(ITSELF, THREAD_NICENESS);
}

/** Gives all threads of this process the lowest priority; new ones inherit it, and the disk's follows from it. */
export function giveWayWhole(): void {
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  for (const thread of threads) lowerPriority(thread, constants.priority.PRIORITY_LOW);
}

function lowerPriority(thread: number, niceness: number): void {
  try {
    setPriority(thread, niceness);
  } catch {
    // A sandbox may forbid it; the thread then works at the priority of the others.
  }
}
