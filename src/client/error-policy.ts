/**
 * The policy for errors: whether the same request, with the same key, is sent again by itself, and what the answer says
 * about money (SPEC.md §4 and §7). The table of errors has it for the server's codes, this file for the client's own.
 * Codes that this client doesn't know yet fall under the rule for their status.
 */
import { API_ERRORS, type ErrorRow } from '../engine/api-errors.ts';
import type { ClientErrorCode, Failure } from './purser-error.ts';

type ErrorPolicy = Pick<ErrorRow, 'isRetried' | 'charge'>;

const STOP_UNKNOWN: ErrorPolicy = { charge: 'unknown' };
const RETRY_UNKNOWN: ErrorPolicy = { isRetried: true, charge: 'unknown' };

const OWN_ERRORS: Readonly<Record<Exclude<ClientErrorCode, 'BAD_RESPONSE'>, ErrorPolicy>> = {
  NETWORK_ERROR: RETRY_UNKNOWN,
  TIMEOUT: RETRY_UNKNOWN,
  REDIRECTED: STOP_UNKNOWN,
  ABORTED: STOP_UNKNOWN,
  STILL_PENDING: { charge: 'not-now' },
};
const POLICIES = new Map<string, ErrorPolicy>(Object.entries({ ...API_ERRORS, ...OWN_ERRORS }));

/** `BAD_RESPONSE` goes by its status: a 201 that was cut short, or a proxy's 502, is like a broken connection. */
export function policyOf({ code, status = 0 }: { code: string; status?: number | undefined }): ErrorPolicy {
  const known = POLICIES.get(code);
  if (known !== undefined) return known;
  if (status === 429) return API_ERRORS.RATE_LIMITED;
  return status >= 500 || (status >= 200 && status < 300) ? RETRY_UNKNOWN : STOP_UNKNOWN;
}

/**
 * Whether the next address is asked at once: this one has no node that leads, or nothing answers there that is Purser.
 * A request that Purser itself refuses, another of its nodes would refuse too; and whoever asks for fewer requests gets
 * them.
 */
export function isAnotherAsked(failure: Failure): boolean {
  const { code, status = 0, leader } = failure;
  if (code === 'NOT_LEADING' || (status === 503 && leader !== undefined)) return true;
  const isForeign = code === 'NETWORK_ERROR' || code === 'TIMEOUT' || code === 'BAD_RESPONSE';
  return isForeign && status !== 429 && policyOf(failure).isRetried === true;
}
