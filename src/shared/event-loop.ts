/**
 * Ticks of the event loop for work that takes long: each has a slice done in one of its own, however much of such work
 * there is. So nobody else waits longer than for one slice. Rejected: all work with ticks of its own, of which the loop
 * takes all at once.
 */
const waiting: (() => void)[] = [];

/** Resolves in a tick that nobody else has; the slice must follow at once. */
export function ownTick(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) schedule();
  });
}

function schedule(): void {
  setImmediate(() => {
    waiting.shift()?.();
    if (waiting.length > 0) schedule();
  });
}
