/**
 * Waits for an order that is delivered later (SPEC.md §3): polls it every few seconds, for a bounded time. A server that is
 * down for a while doesn't end the wait. Programs that receive webhooks don't need this.
 */
import type { ApiCaller, CallOptions } from './api-caller.ts';
import { policyOf } from './error-policy.ts';
import { PurserError } from './purser-error.ts';
import type { Order } from './resources.ts';

export interface WaitOptions extends CallOptions {
  /** Default 5 s, at least 1 s; SPEC.md advises 5 to 10 s. */
  readonly pollMs?: number;
  /** Default 10 minutes. */
  readonly maxWaitMs?: number;
}

const POLL_MS = 5_000;
const SHORTEST_POLL_MS = 1_000;
const MAX_WAIT_MS = 600_000;

/** States of a later server that are unknown here count as not final. */
const FINAL_STATES: ReadonlySet<string> = new Set(['completed', 'failed', 'refunded']);

export async function waitForOrder(
  caller: ApiCaller,
  read: (options: CallOptions) => Promise<Order>,
  options: WaitOptions,
): Promise<Order> {
  const { signal, maxWaitMs = MAX_WAIT_MS } = options;
  const pollMs = Math.max(options.pollMs ?? POLL_MS, SHORTEST_POLL_MS);
  const endsAtMs = caller.timing.now() + maxWaitMs;
  for (;;) {
    const seen = await read(options).catch(transientOnly);
    if (!(seen instanceof PurserError) && FINAL_STATES.has(seen.status)) return seen;
    const pauseMs =
      seen instanceof PurserError ? Math.max(pollMs, (seen.retryAfterSeconds ?? 0) * 1_000) : pollMs;
    if (caller.timing.now() + pauseMs > endsAtMs) throw stillPending(seen, maxWaitMs);
    await caller.sleep(pauseMs, signal, { attempts: 0, isCharged: false });
  }
}

function transientOnly(error: unknown): PurserError {
  if (error instanceof PurserError && policyOf(error).isRetried) return error;
  throw error;
}

function stillPending(seen: Order | PurserError, maxWaitMs: number): PurserError {
  if (seen instanceof PurserError) return seen;
  const message = `order ${seen.orderId} is still ${seen.status} after ${maxWaitMs} ms`;
  const failure = { code: 'STILL_PENDING', message, requestId: seen.requestId };
  return new PurserError(failure, { attempts: 0, isCharged: false });
}
