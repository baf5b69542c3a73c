/**
 * Time that counts only while this process runs. Where the machine stops it for seconds, the servers of a test in it
 * stand still with it, and whoever measured their limits by the clock on the wall would find them late.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const STEP_MS = 100;

/** Resolves after so much of it, or soon after nobody waits any more. Keeps no process alive. */
export async function sleepAwake<T>(durationMs: number, value: T, enough?: AbortSignal): Promise<T> {
  for (let leftMs = durationMs; leftMs > 0 && enough?.aborted !== true; leftMs -= STEP_MS) {
    await sleep(Math.min(leftMs, STEP_MS), undefined, { ref: false });
  }
  return value;
}
