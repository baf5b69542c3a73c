/**
 * The console's one pulse: every two seconds it asks the node how far its journal is. When that moved, what is on view is
 * asked for again; when nothing answers, the tab waits and says so. A hidden tab asks nothing.
 *
 * A feed for each console was rejected: at thousands of purchases a second it sends megabytes of facts that nobody
 * reads, while this costs one small call, and the calls of one screen at most every two seconds.
 */
import { signal } from '@preact/signals';
import { isAborted } from '../api/api-failure.ts';
import type { AnswerOf } from '../api/call-types.ts';
import { heldSession } from '../api/held-session.ts';
import { call } from '../api/operator-api.ts';

export type NodeStatus = AnswerOf<'GET /status'>;

const PERIOD_MS = 2_000;
/** A node that starts again is found soon. */
const AWAY_PERIOD_MS = 1_000;
/** A node that is stopped by a debugger answers nothing, and refuses nothing. */
const PATIENCE_MS = 10_000;

/** One more whenever the journal has moved, or the node is back. */
export const moved = signal(0);
/** One more with every answer: for what changes without a fact, such as attempts of webhooks. */
export const beat = signal(0);
export const nodeStatus = signal<NodeStatus | undefined>(undefined);
/** Since when nothing answers, in Unix milliseconds. */
export const awaySince = signal<number | undefined>(undefined);

let timer: ReturnType<typeof setTimeout> | undefined;
let asking: Promise<void> | undefined;

/** Called once, when the page is there. */
export function startPulse(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) clearTimeout(timer);
    else void askNow();
  });
  heldSession.subscribe((session) => {
    clearTimeout(timer);
    if (session !== undefined) void askNow();
  });
}

/** At once: after an action, so that its effect is seen, and when a call found nobody. */
export function askNow(): Promise<void> {
  clearTimeout(timer);
  asking ??= ask().finally(() => {
    asking = undefined;
    clearTimeout(timer);
    if (!document.hidden && heldSession.peek() !== undefined)
      timer = setTimeout(askNow, awaySince.peek() === undefined ? PERIOD_MS : AWAY_PERIOD_MS);
  });
  return asking;
}

async function ask(): Promise<void> {
  if (heldSession.peek() === undefined) return;
  try {
    const status = await call('GET /status', { signal: AbortSignal.timeout(PATIENCE_MS) });
    const before = nodeStatus.peek();
    const isBack = awaySince.peek() !== undefined;
    awaySince.value = undefined;
    nodeStatus.value = status;
    beat.value += 1;
    if (isBack || before?.journalPosition !== status.journalPosition) moved.value += 1;
  } catch (error) {
    if (!isAborted(error)) awaySince.value ??= Date.now();
  }
}
