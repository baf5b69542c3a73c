/**
 * Requests by number, and the request ids that answers carry (SPEC.md §1): `req_<Unix milliseconds>_<count>`.
 *
 * What always holds: numbers ascend, also across starts, as long as a process begins after the youngest fact; so an id
 * that a fact carries belongs to one request. A number is a safe integer, eight bytes in a fact, and tells when the
 * request came. Rejected: a random prefix a process, which needs as much again in every fact or a table of prefixes.
 */

/** The beginning of 2024: with twelve bits of count below, numbers stay safe integers until 2093. */
export const EPOCH_MS = 1_704_067_200_000;
/** Requests in one millisecond; more take numbers of the next. */
export const PER_MS = 4_096;
export const PREFIX = 'req_';
const REQUEST_ID = /^req_(\d{13})_(0|[1-9]\d{0,3})$/;

/** `requestNumber` of what no request asked for. */
export const NO_REQUEST = 0;

/** `NO_REQUEST` when it is none of ours. */
export function requestNumberOf(requestId: string): number {
  const [, ms = '', count = ''] = REQUEST_ID.exec(requestId) ?? [];
  const sinceEpochMs = Number(ms) - EPOCH_MS;
  return sinceEpochMs > 0 && Number(count) < PER_MS ? sinceEpochMs * PER_MS + Number(count) : NO_REQUEST;
}

export function requestIdOf(requestNumber: number): string {
  return `${PREFIX}${requestTimeMs(requestNumber)}_${requestNumber % PER_MS}`;
}

/** When it came, in Unix milliseconds. */
export function requestTimeMs(requestNumber: number): number {
  return EPOCH_MS + Math.floor(requestNumber / PER_MS);
}
