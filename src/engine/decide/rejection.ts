/** The engine's refusals: returned values, not exceptions. Programs branch on the code (SPEC.md §7). */
import { ERROR_MESSAGES, type ErrorCode } from '../api-errors.ts';

/** The cause of a refusal for want of room. */
export const DISK_IS_FULL = 'the disk is full';

export class Rejection {
  readonly code: ErrorCode;
  /** For people. */
  readonly message: string;
  /** With `PRICE_CHANGED` only, in micro-USDT; beyond 2^53 the nearest double. */
  readonly currentPriceMicros: number | null;
  /** Whether this is a stored refusal, repeated. */
  readonly replayed: boolean;
  /** For the node's log, where the message doesn't say why; nobody is sent it. */
  readonly cause: string | undefined;
  /** With `RATE_LIMITED`, where it is known: after so many seconds there is room. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string = ERROR_MESSAGES[code],
    currentPriceMicros: number | null = null,
    replayed = false,
    cause?: string,
    retryAfterSeconds?: number,
  ) {
    this.code = code;
    this.message = message;
    this.currentPriceMicros = currentPriceMicros;
    this.replayed = replayed;
    this.cause = cause;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The answer while nothing can be stored: the disk is full. */
export const CANNOT_STORE = new Rejection(
  'INTERNAL_ERROR',
  'The server cannot store anything right now; nothing was changed. Retry with backoff.',
  null,
  false,
  DISK_IS_FULL,
);
