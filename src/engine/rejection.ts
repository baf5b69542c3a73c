/**
 * The engine's refusals: returned values, not exceptions.
 *
 * The table's order is their precedence in a purchase: of several that apply, the first is the answer. The
 * texts are for people; programs branch on the code (SPEC.md §7).
 */
export const REJECTION_MESSAGES = {
  RATE_LIMITED: 'Too many requests of this account are waiting; retry after a second with the same key.',
  INTERNAL_ERROR: 'The server cannot store anything right now; nothing was changed. Retry with backoff.',
  UNAUTHORIZED: 'The API key was replaced or revoked before the request had its turn; nothing was changed.',
  IDEMPOTENCY_CONFLICT: 'This key was already used for a different request; use a new key.',
  IDEMPOTENCY_UNRESOLVED:
    'The purchase with this key was interrupted; nothing was charged. Retry with a new key.',
  NOT_FOUND: 'There is no such product, or it is not available.',
  BAD_REQUEST: 'The request is not valid.',
  PRICE_CHANGED: 'The total price differs from expectedPriceUsdt; nothing was charged.',
  OUT_OF_STOCK: 'There is not enough stock; nothing was charged.',
  TRANSITION_NOT_ALLOWED: 'The order is in a state from which this cannot be done; nothing was changed.',
  INSUFFICIENT_BALANCE: 'The balance is too low; nothing was charged.',
  PURCHASE_FAILED: 'The purchase could not be completed; nothing was charged. Retry with a new key.',
  PROVIDER_TIMEOUT:
    'The supplier did not answer in time; nothing was charged. Retry with a new key after a few seconds.',
} as const;

export type RejectionCode = keyof typeof REJECTION_MESSAGES;

export class Rejection {
  readonly code: RejectionCode;
  readonly message: string;
  /** With `PRICE_CHANGED` only, in micro-USDT; beyond 2^53 the nearest double. */
  readonly currentPriceMicros: number | null;
  /** Whether this is a stored refusal, repeated. */
  readonly replayed: boolean;

  constructor(
    code: RejectionCode,
    message: string = REJECTION_MESSAGES[code],
    currentPriceMicros: number | null = null,
    replayed = false,
  ) {
    this.code = code;
    this.message = message;
    this.currentPriceMicros = currentPriceMicros;
    this.replayed = replayed;
  }
}
