/**
 * Failed authentications per sliding five minutes and client (SPEC.md §8): after 20 of them, a further wrong key gets
 * 429 in place of 401. A valid key comes here only from where its account doesn't allow it, and counts as a wrong one.
 *
 * Attempts that count have a key that is nobody's, a revoked one included. A request without a key tries none and stays
 * 401; one that is refused here doesn't count, so that `Retry-After` is true. A client is an IPv4 address or an IPv6
 * /64, which is what one subscriber gets. When more clients fail than can be remembered, the ones that failed longest
 * ago are forgotten: they get 401 again, and nobody is locked out.
 */
import { type ApiError, rateLimited } from '../errors.ts';
import { networkOf } from './client-address.ts';
import { retryAfterSeconds, SlidingWindow } from './sliding-window.ts';
import { WindowTable } from './window-table.ts';

const WINDOW_MS = 300_000;
const MAX_FAILURES = 20;
/** Clients remembered: under 1 KB each. */
const MAX_CLIENTS = 32_768;

export class FailedAuthentications {
  readonly #windows: WindowTable<string>;

  constructor(maxClients = MAX_CLIENTS) {
    this.#windows = new WindowTable({
      open: () => new SlidingWindow(WINDOW_MS),
      windowMs: WINDOW_MS,
      maxWindows: maxClients,
    });
  }

  /**
   * A key from this address opens nothing from there: counts it, or returns the 429 when there were too many.
   * `nowMs` must not go backwards.
   */
  refuse(address: string, nowMs: number): ApiError | undefined {
    const client = networkOf(address);
    const waitMs = this.#windows.find(client)?.waitMs(MAX_FAILURES, nowMs) ?? 0;
    if (waitMs > 0) {
      return rateLimited(
        `More than ${MAX_FAILURES} failed authentications in 5 minutes. Wait as long as Retry-After says, or send a valid key.`,
        retryAfterSeconds(waitMs, WINDOW_MS),
      );
    }
    this.#windows.open(client, nowMs).add(nowMs);
    return undefined;
  }
}
