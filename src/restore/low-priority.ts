/** The priority of a process that works beside a node: purchases come first. */
import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** All threads that there are, with the lowest priority; new ones inherit it, and the disk's priority follows from it. */
export function giveWay(): void {
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  for (const thread of threads) {
    try {
      setPriority(thread, constants.priority.PRIORITY_LOW);
    } catch {
      // A sandbox may forbid it.
    }
  }
}
