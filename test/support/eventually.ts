import { setTimeout as delay } from 'node:timers/promises';

/** So long that only what never comes is late: a busy machine stops a process for seconds. */
const PATIENCE_MS = 30_000;

/** Waits for what comes of itself, and throws when it doesn't. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) throw new Error(`not within ${PATIENCE_MS} ms: ${what}`);
    await delay(10);
  }
}
