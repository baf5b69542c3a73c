import { setTimeout as delay } from 'node:timers/promises';

/** So long that only what never comes is late: a busy machine stops a process for seconds. */
const PATIENCE_MS = 30_000;

/** Waits for what comes of itself, and throws when it doesn't. */
export async function eventually(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${patienceMs} ms: ${what}`);
    await delay(10);
  }
}
