/**
 * Requests by number, and the request ids that answers carry (SPEC.md §1): `req_<Unix milliseconds>_<count>`.
 *
 * Invariant: numbers ascend, also across starts, because a process begins behind the youngest fact, and behind the
 * highest number that a fact names (`State.lastRequestNumber`); so an id that a fact carries belongs to one request. A
 * number is a safe integer, eight bytes in a fact, and tells when the request came. Rejected: a random prefix a
 * process, which needs as much again in every fact or a table of prefixes.
 */

/** The beginning of 2024: with twelve bits of count below, numbers stay safe integers until 2093. */
export const EPOCH_MS = 1_704_067_200_000;
/** Requests in one millisecond; more take numbers of the next. */
export const PER_MS = 4_096;
export const PREFIX = 'req_';
/** Where the count stands: behind thirteen digits of milliseconds and an underscore. */
const COUNT_AT = PREFIX.length + 13 + 1;
const COUNT_DIGITS = 4;
const ZERO = 0x30;
const UNDERSCORE = 0x5f;

/** `requestNumber` of what no request asked for. */
export const NO_REQUEST = 0;

/** `NO_REQUEST` when it is none of ours. By hand, because every purchase pays for it. */
export function requestNumberOf(requestId: string): number {
  const end = requestId.length;
  if (end <= COUNT_AT || end > COUNT_AT + COUNT_DIGITS || !requestId.startsWith(PREFIX)) return NO_REQUEST;
  if (requestId.charCodeAt(COUNT_AT - 1) !== UNDERSCORE) return NO_REQUEST;
  const sinceEpochMs = digitsOf(requestId, PREFIX.length, COUNT_AT - 1) - EPOCH_MS;
  const count = digitsOf(requestId, COUNT_AT, end);
  const isOurs =
    sinceEpochMs > 0 && count < PER_MS && (count === 0 || requestId.charCodeAt(COUNT_AT) !== ZERO);
  return isOurs && (count > 0 || end === COUNT_AT + 1) ? sinceEpochMs * PER_MS + count : NO_REQUEST;
}

/** NaN when there is anything else. */
function digitsOf(text: string, start: number, end: number): number {
  let number = 0;
  for (let at = start; at < end; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    number = digit >= 0 && digit <= 9 ? number * 10 + digit : Number.NaN;
  }
  return number;
}

export function requestIdOf(requestNumber: number): string {
  return `${PREFIX}${requestTimeMs(requestNumber)}_${requestNumber % PER_MS}`;
}

/** When it came, in Unix milliseconds. */
export function requestTimeMs(requestNumber: number): number {
  return EPOCH_MS + Math.floor(requestNumber / PER_MS);
}
