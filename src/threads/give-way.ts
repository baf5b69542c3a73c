/**
 * Threads that work behind the traffic give way to it: without this, a fold on a busy machine takes the time
 * that purchases, their commits and their clients wait for.
 */
import { setPriority } from 'node:os';

const NICENESS = 10;

/** Lowers the priority of the calling thread alone (Linux; elsewhere of nothing). */
export function giveWay(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICENESS);
  } catch {
    // A sandbox may forbid it; the thread then works at the priority of the others.
  }
}
