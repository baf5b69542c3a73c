/**
 * Processes that elsewhere have machines of their own get a processor only when nobody else wants one, so that a
 * measurement beside them measures what they ask of the server and not what they take from it.
 *
 * Rejected: niceness alone. A Linux of today lets even the nicest process finish its slice of some milliseconds
 * before a thread that wakes up gets its turn, and with two cores that was most of a purchase's p99.
 */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** How: Linux's idle class, or where that can't be had, the highest niceness. */
export type Aside = 'idle' | 'nice';

/** The words of a condition line on processes that are put aside. */
export const ASIDE_TEXT: Readonly<Record<Aside, string>> = {
  idle: 'run only while a processor is free (SCHED_IDLE)',
  nice: `run at niceness ${constants.priority.PRIORITY_LOW}, for want of chrt (util-linux)`,
};

export function findAside(): Aside {
  try {
    execFileSync('chrt', ['--idle', '0', 'true'], { stdio: 'ignore' });
    return 'idle';
  } catch {
    return 'nice';
  }
}

/** With all its threads, and those that it starts later. */
export function putAside({ pid }: ChildProcess, aside: Aside): void {
  if (pid === undefined) return;
  if (aside === 'nice') setPriority(pid, constants.priority.PRIORITY_LOW);
  else execFileSync('chrt', ['--idle', '--all-tasks', '--pid', '0', String(pid)], { stdio: 'ignore' });
}
