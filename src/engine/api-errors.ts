/**
 * Every error of the API, one row each: what is answered, what became of the purchase, and what to do (SPEC.md §7).
 *
 * The only place for it. The engine and HTTP take message and status from here, the OpenAPI document and the client the
 * rest; tests hold the guides to it. The file imports nothing, and is the only one that the client shares with the
 * server: a copy of its own would be a second table.
 */

/**
 * The verdict of an error on a purchase's money. `none`: the server looked the key up, and nothing was charged under
 * it. `not-now`: this request charged nothing, but an earlier one with the same key may have. `by-another`: so may the
 * different request that has the key. `unknown`: only the same key can tell.
 */
export type ChargeVerdict = 'none' | 'not-now' | 'by-another' | 'unknown';

export interface ErrorRow {
  readonly status: number;
  /** When it is answered. Like `action` in Markdown, one sentence. */
  readonly when: string;
  /** The caller's next step. */
  readonly action: string;
  /** Instead of the sentences above, where a purchase can be told more precisely than `when`. */
  readonly message?: string;
  /**
   * Whether a purchase may be tried once more with the same `Idempotency-Key`. If not, the key gets this same refusal
   * for ever, and the next attempt needs a new one.
   */
  readonly mayRetrySameKey: boolean;
  readonly charge: ChargeVerdict;
  /** Whether a client sends the same request again by itself, after a while. */
  readonly isRetried?: true;
  /** Whether only operators are answered it. */
  readonly isOperators?: true;
}

/** Refused before the key was looked up, so it is as free or as used as before. */
const KEY_UNTOUCHED = { mayRetrySameKey: true, charge: 'not-now' } as const;
/** The refusal is stored with the key. */
const KEY_USED_UP = { mayRetrySameKey: false, charge: 'none' } as const;
/** Operators buy nothing: of key and money such an answer tells nothing. */
const OF_NO_PURCHASE = { mayRetrySameKey: true, charge: 'unknown', isOperators: true } as const;

const ROWS = {
  BAD_REQUEST: {
    status: 400,
    when: 'The request is malformed, too large, or a header or field is missing or invalid.',
    action: 'Correct it; do not retry it unchanged.',
    ...KEY_UNTOUCHED,
  },
  UNAUTHORIZED: {
    status: 401,
    when: 'The API key is missing, invalid, regenerated, revoked or deactivated.',
    action: 'Check the key, or have a new one issued.',
    ...KEY_UNTOUCHED,
  },
  INSUFFICIENT_BALANCE: {
    status: 402,
    when: 'The balance is lower than the total.',
    action: 'Top up, then try again. A purchase needs a new key.',
    ...KEY_USED_UP,
  },
  FORBIDDEN: {
    status: 403,
    when: 'The API key lacks the scope of this call; the message names it.',
    action: 'Use a key that has the scope.',
    ...KEY_UNTOUCHED,
  },
  NOT_FOUND: {
    status: 404,
    when: 'There is no such product on sale, no such order of this account, no webhook, or no such route.',
    action: 'Check the id.',
    message: 'There is no such product on sale. Check the id.',
    mayRetrySameKey: false,
    // When the base address is wrong it is a route, and says nothing of the key.
    charge: 'not-now',
  },
  PRICE_CHANGED: {
    status: 409,
    when: 'The total now differs from `expectedPriceUsdt`.',
    action: 'Accept `currentPriceUsdt` and try again with it. A purchase needs a new key.',
    ...KEY_USED_UP,
  },
  OUT_OF_STOCK: {
    status: 409,
    when: 'There is less stock than the quantity.',
    action: 'Buy fewer, or try again later. A purchase may use the same key.',
    mayRetrySameKey: true,
    charge: 'none',
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    when: 'The `Idempotency-Key` was used before with a different request.',
    action: 'Use a new key for a new purchase.',
    mayRetrySameKey: false,
    charge: 'by-another',
  },
  IDEMPOTENCY_UNRESOLVED: {
    status: 409,
    when: 'The purchase with this `Idempotency-Key` was interrupted.',
    action: 'Buy with a new key.',
    ...KEY_USED_UP,
  },
  DELIVERY_NOT_READY: {
    status: 409,
    when: 'The order is not `completed` yet.',
    action: 'Wait until it is.',
    ...KEY_UNTOUCHED,
  },
  WEBHOOK_SECRET_UNREADABLE: {
    status: 409,
    when: 'The secret of the webhook cannot be read any more, so nothing can be signed with it.',
    action: 'Register the webhook again.',
    ...KEY_UNTOUCHED,
  },
  EVENTS_GONE: {
    status: 410,
    when: 'Events behind `after` are not kept any more, or a restore of the shop took `after` back.',
    action: 'Begin again without `after`, and compare your orders by `GET /orders/{id}`.',
    ...KEY_UNTOUCHED,
  },
  RATE_LIMITED: {
    status: 429,
    when: 'Too many requests, or more would be bought than the account may.',
    action:
      'Wait as many seconds as the header Retry-After says, then send it again. Send a purchase with the same key.',
    ...KEY_UNTOUCHED,
    isRetried: true,
  },
  INTERNAL_ERROR: {
    status: 500,
    when: 'The server failed to answer.',
    action:
      'Retry with backoff. Send a purchase with the same key: it happened once or not at all. Report `requestId`.',
    mayRetrySameKey: true,
    charge: 'unknown',
    isRetried: true,
  },
  PURCHASE_FAILED: {
    status: 502,
    when: 'The supplier could not complete the purchase.',
    action: 'Buy with a new key, or ask support.',
    ...KEY_USED_UP,
    // SPEC.md §7 has clients retry it once more; this server repeats the answer.
    isRetried: true,
  },
  PROVIDER_TIMEOUT: {
    status: 504,
    when: 'The supplier did not answer in time.',
    action: 'Wait a few seconds, then buy with a new key.',
    ...KEY_USED_UP,
  },
  DELIVERY_UNAVAILABLE: {
    status: 503,
    when: 'The file cannot be read now, or too many downloads are under way.',
    action: 'Retry after as many seconds as the header Retry-After says.',
    ...KEY_UNTOUCHED,
    isRetried: true,
  },
  SALES_CLOSED: {
    status: 503,
    when: 'The shop was restored from a backup: it sells nothing, and API keys of before change no webhook, until its operator has opened sales again.',
    action: 'Try again later, with the same key.',
    mayRetrySameKey: true,
    charge: 'none',
    isRetried: true,
  },
  NOT_LEADING: {
    status: 503,
    when: 'This node of the cluster does not lead, or has just lost the lead; `leader` says who leads, if anybody does.',
    action:
      'Send it to the leader, or again after a second. Send a purchase with the same key: it happened once or not at all.',
    mayRetrySameKey: true,
    // A follower does nothing. A leader whose lease ended before the answer left may have done it.
    charge: 'unknown',
    isRetried: true,
  },
  TRANSITION_NOT_ALLOWED: {
    status: 409,
    when: 'An order or supplier purchase in this state cannot take this step; nothing was changed.',
    action: 'Read its state again; docs/orders.md has the steps that each state allows.',
    ...OF_NO_PURCHASE,
  },
  ALREADY_TAKEN: {
    status: 409,
    when: 'Another row has the value that must be its own; the message names field and row. Nothing was changed.',
    action: 'Choose another value, or use the row that has it.',
    ...OF_NO_PURCHASE,
  },
  CHANGED_MEANWHILE: {
    status: 412,
    when: 'The product is in another state than `If-Match` names: somebody has changed it since. Nothing was changed.',
    action: 'Look at `product`, which is as it is now; send the change again with the `ETag` of this answer.',
    ...OF_NO_PURCHASE,
  },
  REPLAY_NOT_ALLOWED: {
    status: 409,
    when: 'The webhook event is pending, so it will be attempted anyway, or it was cancelled.',
    action: 'Replay events that were delivered or discarded.',
    ...OF_NO_PURCHASE,
  },
  OTHER_EPOCH: {
    status: 409,
    when: 'The folder was restored from a backup, and has other facts than the reader from a position before this one on.',
    action: 'Undo what you made of the lines after `forkAfter`, and continue after it.',
    ...OF_NO_PURCHASE,
  },
  NOT_READY: {
    status: 503,
    when: 'The node is starting, stopping, busy, or without room on its disk.',
    action: 'Try again after a second; the log of the node says why.',
    ...OF_NO_PURCHASE,
    isRetried: true,
  },
} as const satisfies Readonly<Record<string, ErrorRow>>;

export type ErrorCode = keyof typeof ROWS;
export type BuyerErrorCode = {
  [Code in ErrorCode]: (typeof ROWS)[Code] extends { readonly isOperators: true } ? never : Code;
}[ErrorCode];

export const API_ERRORS: Readonly<Record<ErrorCode, ErrorRow>> = ROWS;

export function isBuyers(code: ErrorCode): code is BuyerErrorCode {
  return API_ERRORS[code].isOperators === undefined;
}

/** The messages of errors that nobody words more precisely: plain text, with the cause and the next step. */
export const ERROR_MESSAGES = Object.fromEntries(
  Object.entries(API_ERRORS).map(([code, row]) => [code, messageOf(row)]),
) as Readonly<Record<ErrorCode, string>>;

function messageOf({ when, action, message, charge }: ErrorRow): string {
  const money = charge === 'none' ? ' Nothing was charged.' : '';
  return message ?? `${when}${money} ${action}`.replaceAll('`', '');
}
