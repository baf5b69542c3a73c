/**
 * Requests per sliding minute and API key (SPEC.md §8), and how an answer tells the client where it stands.
 *
 * A request that is refused here doesn't count, or waiting as long as `Retry-After` says would not help; one
 * that is refused later (403, 400, the purchase's own) does. A new key begins with an empty window, a changed
 * limit applies at once to what was counted before. The header fields are those of
 * draft-ietf-httpapi-ratelimit-headers (structured fields, since -08).
 */

import type { ApiKey } from '../../engine/accounts.ts';
import { MAX_ACCOUNTS } from '../../engine/limits.ts';
import { type ApiError, rateLimited } from '../errors.ts';
import type { ReplyHeaders } from '../transport/reply-headers.ts';
import { retryAfterSeconds, SlidingWindow } from './sliding-window.ts';
import { WindowTable } from './window-table.ts';

const WINDOW_MS = 60_000;

/** The limit's decision on one request. */
export interface Taken {
  /** Undefined when the request is admitted. */
  readonly error: ApiError | undefined;
  /** Headers of the answer, whatever it is. */
  readonly headers: ReplyHeaders;
}

export class RateLimiter {
  /** Windows by the digest of the key. Every account may have a window, so none is ever forgotten early. */
  readonly #windows = new WindowTable<string>({
    open: () => new SlidingWindow(WINDOW_MS),
    windowMs: WINDOW_MS,
    maxWindows: 2 * MAX_ACCOUNTS,
  });

  /** `limit` is at least 1; `nowMs` must not go backwards. */
  take(key: ApiKey, limit: number, nowMs: number): Taken {
    const window = this.#windows.open(key.sha256, nowMs);
    const count = window.count(nowMs);
    if (count < limit) {
      window.add(nowMs);
      // The oldest request leaves next, and with it the quota begins to come back.
      const resetSeconds = retryAfterSeconds(window.waitMs(count + 1, nowMs), WINDOW_MS);
      return { error: undefined, headers: limitHeaders(limit, limit - count - 1, resetSeconds) };
    }
    const retrySeconds = retryAfterSeconds(window.waitMs(limit, nowMs), WINDOW_MS);
    return {
      error: rateLimited(
        `More than ${limit} requests in a minute. Wait as long as Retry-After says.`,
        retrySeconds,
      ),
      headers: limitHeaders(limit, 0, retrySeconds),
    };
  }
}

function limitHeaders(limit: number, remaining: number, resetSeconds: number): ReplyHeaders {
  return [
    ['ratelimit-policy', `"default";q=${limit};w=${WINDOW_MS / 1000}`],
    ['ratelimit', `"default";r=${remaining};t=${resetSeconds}`],
  ];
}
