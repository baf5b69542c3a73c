/**
 * Requests that are answered when something has happened, and not before: so many of an account at a time. A place is free
 * again when its client has gone, which is looked at twice a second, and when there is no other place.
 */
import { type ApiError, rateLimited } from '../errors.ts';
import type { BuyerContext } from './buyer-context.ts';

/** Requests of one account that wait at a time. */
export const MAX_WAITING_REQUESTS = 4;
const LOOK_INTERVAL_MS = 500;

export interface WaitingPlace {
  /** How long the request may wait. */
  readonly restMs: number;
  /** Calls back when the client has gone, instead of what was to be called. */
  whenGone(callback: () => void): void;
  /** May be called again, to no effect. */
  giveBack(): void;
}

interface Waiting {
  readonly context: BuyerContext;
  readonly endsAtMs: number;
  onGone: () => void;
}

export class WaitingRequests {
  readonly #ofAccounts = new Map<number, Set<Waiting>>();
  #looking: NodeJS.Timeout | undefined;

  /** The refusal when the account has all its places. */
  take(accountId: number, context: BuyerContext, waitMs: number): WaitingPlace | ApiError {
    const nowMs = performance.now();
    this.#leaveGone(accountId);
    const places = this.#ofAccounts.get(accountId) ?? new Set();
    if (places.size >= MAX_WAITING_REQUESTS) return refusal(places, nowMs);
    const waiting: Waiting = { context, endsAtMs: nowMs + waitMs, onGone: () => {} };
    this.#ofAccounts.set(accountId, places.add(waiting));
    this.#looking ??= setInterval(() => this.#look(), LOOK_INTERVAL_MS).unref();
    return {
      get restMs() {
        return waiting.endsAtMs - performance.now();
      },
      whenGone: (callback) => {
        waiting.onGone = callback;
      },
      giveBack: () => this.#leave(accountId, waiting),
    };
  }

  #look(): void {
    for (const accountId of [...this.#ofAccounts.keys()]) this.#leaveGone(accountId);
  }

  #leaveGone(accountId: number): void {
    for (const waiting of [...(this.#ofAccounts.get(accountId) ?? [])]) {
      if (!waiting.context.request.finished) continue;
      this.#leave(accountId, waiting);
      waiting.onGone();
    }
  }

  #leave(accountId: number, waiting: Waiting): void {
    const places = this.#ofAccounts.get(accountId);
    if (places?.delete(waiting) !== true || places.size > 0) return;
    this.#ofAccounts.delete(accountId);
    if (this.#ofAccounts.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }
}

/** One of them has ended after that time. */
function refusal(places: Iterable<Waiting>, nowMs: number): ApiError {
  const endsAtMs = Math.min(...Array.from(places, (waiting) => waiting.endsAtMs));
  return rateLimited(
    `${MAX_WAITING_REQUESTS} requests of this account wait for events already. Wait as long as Retry-After says.`,
    Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000)),
  );
}
