/** A process that is stopped for a while, so that nothing of it happens meanwhile. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const SETTLE_MS = 30_000;

/**
 * SIGSTOP, until all threads have stopped: system calls that they had begun are over, for a thread stops behind its own.
 * On Linux.
 */
export async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const deadlineMs = performance.now() + SETTLE_MS;
  while (!statesOf(pid).every((state) => state === 'T')) {
    assert.ok(performance.now() < deadlineMs, `still busy: ${statesOf(pid)}`);
    await delay(5);
  }
}

/** A letter for each thread, as in proc(5). */
function statesOf(pid: number): string[] {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).map((task) => {
    try {
      // The name in brackets may hold anything.
      const stat = readFileSync(join(tasks, task, 'stat'), 'utf8');
      return stat.slice(stat.lastIndexOf(')') + 2).charAt(0);
    } catch {
      return 'ended meanwhile';
    }
  });
}
