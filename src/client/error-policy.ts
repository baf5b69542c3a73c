/**
 * What follows from an error: whether the same request, with the same key, is sent again by itself, and what
 * the answer says about money (SPEC.md §4 and §7). One table, so that it can be held against the specification
 * line by line, and typed over the codes, so that none of the server's document can be left out.
 *
 * Answers of a server this client doesn't know yet fall under the rule for their status.
 */
import type { ApiErrorCode, ClientErrorCode } from './purser-error.ts';

/**
 * `none`: the server looked the key up, and nothing was charged under it. `not-now`: refused before the key was
 * looked at, so this request charged nothing, but an earlier one with the same key may have. `unknown`: either.
 */
export type ChargeVerdict = 'none' | 'not-now' | 'unknown';

type CodeWithPolicy = Exclude<ApiErrorCode | ClientErrorCode, 'BAD_RESPONSE'>;

export interface ErrorPolicy {
  readonly retry: boolean;
  readonly charge: ChargeVerdict;
}

const STOP_UNCHARGED: ErrorPolicy = { retry: false, charge: 'none' };
const STOP_BEFORE_KEY: ErrorPolicy = { retry: false, charge: 'not-now' };
const STOP_UNKNOWN: ErrorPolicy = { retry: false, charge: 'unknown' };
const RETRY_UNKNOWN: ErrorPolicy = { retry: true, charge: 'unknown' };
const RETRY_BEFORE_KEY: ErrorPolicy = { retry: true, charge: 'not-now' };

const POLICY_OF_CODE: Readonly<Record<CodeWithPolicy, ErrorPolicy>> = {
  BAD_REQUEST: STOP_BEFORE_KEY,
  UNAUTHORIZED: STOP_BEFORE_KEY,
  FORBIDDEN: STOP_BEFORE_KEY,
  // Of a product, or of the route when the base address is wrong: the code doesn't tell.
  NOT_FOUND: STOP_BEFORE_KEY,
  INSUFFICIENT_BALANCE: STOP_UNCHARGED,
  PRICE_CHANGED: STOP_UNCHARGED,
  // The same key may be used when there is stock again; when that is, only the caller can judge.
  OUT_OF_STOCK: STOP_UNCHARGED,
  // The key has bought something else, or is about to: perhaps this very purchase, described differently.
  IDEMPOTENCY_CONFLICT: STOP_UNKNOWN,
  IDEMPOTENCY_UNRESOLVED: STOP_UNCHARGED,
  DELIVERY_NOT_READY: STOP_BEFORE_KEY,
  WEBHOOK_SECRET_UNREADABLE: STOP_BEFORE_KEY,
  RATE_LIMITED: RETRY_BEFORE_KEY,
  INTERNAL_ERROR: RETRY_UNKNOWN,
  PURCHASE_FAILED: { retry: true, charge: 'none' },
  // The same key brings the same answer for ever.
  PROVIDER_TIMEOUT: STOP_UNCHARGED,
  DELIVERY_UNAVAILABLE: RETRY_BEFORE_KEY,
  NETWORK_ERROR: RETRY_UNKNOWN,
  TIMEOUT: RETRY_UNKNOWN,
  REDIRECTED: STOP_UNKNOWN,
  ABORTED: STOP_UNKNOWN,
  STILL_PENDING: STOP_BEFORE_KEY,
};

/** `BAD_RESPONSE` goes by its status: a 201 that was cut short, or a proxy's 502, is like a broken connection. */
export function policyOf({ code, status = 0 }: { code: string; status?: number | undefined }): ErrorPolicy {
  if (hasPolicy(code)) return POLICY_OF_CODE[code];
  if (status === 429) return RETRY_BEFORE_KEY;
  return status >= 500 || (status >= 200 && status < 300) ? RETRY_UNKNOWN : STOP_UNKNOWN;
}

function hasPolicy(code: string): code is CodeWithPolicy {
  return Object.hasOwn(POLICY_OF_CODE, code);
}
