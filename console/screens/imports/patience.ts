/**
 * Uploads that a node's absence interrupts: sent again when it is back. What is sent must be such that a node which has
 * taken it in already makes nothing twice of it.
 */
import { NodeAway } from '../../api/api-failure.ts';
import { askNow, awaySince } from '../../shell/pulse.ts';

/** An upload that breaks off again and again, though the node answers, has a file that can't be read any more. */
const MOST_TRIES = 3;
const PAUSE_MS = 1_000;
const UNREADABLE = new Error(
  'The upload broke off. Is the file still there, and as it was? Choose it again.',
);

/** `onWaiting` is called when the wait for the node begins. */
export async function patiently<Answer>(
  send: () => Promise<Answer>,
  signal: AbortSignal,
  onWaiting: () => void,
): Promise<Answer> {
  for (let left = MOST_TRIES; ; left -= 1) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof NodeAway)) throw error;
      if (left === 1) throw UNREADABLE;
      onWaiting();
      await nodeBack(signal);
    }
  }
}

/** Resolves when the node answers. */
async function nodeBack(signal: AbortSignal): Promise<void> {
  for (;;) {
    await askNow();
    signal.throwIfAborted();
    if (awaySince.peek() === undefined) return;
    await pause();
  }
}

export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
