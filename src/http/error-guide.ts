/**
 * What each error means to a buyer, beside the table of its codes: what the OpenAPI document says, and what the
 * buyer's guide is held against. A code without an entry here doesn't compile.
 */
import type { ErrorCode } from './errors.ts';
import type { JsonSchema } from './schemas/json-schema.ts';

/** What only operators are answered. */
export const OPERATOR_ERRORS = [
  'TRANSITION_NOT_ALLOWED',
  'REPLAY_NOT_ALLOWED',
  'FACTS_GONE',
  'NOT_READY',
] as const satisfies ErrorCode[];

export type BuyerErrorCode = Exclude<ErrorCode, (typeof OPERATOR_ERRORS)[number]>;

export interface ErrorGuide {
  /** When it is answered (SPEC.md §7). */
  readonly when: string;
  /** What the client does. */
  readonly action: string;
  /**
   * Of a purchase: whether the same `Idempotency-Key` may come again, to be tried once more. If not, it gets this
   * same refusal for ever, and the next attempt needs a new key.
   */
  readonly mayRetrySameKey: boolean;
  /** Of a purchase: `unknown` when only the same key can tell. */
  readonly charged: 'no' | 'unknown';
  /** A message of this error, for the document's example. */
  readonly exampleMessage: string;
  /** The fields it has beside those of every error, with an example. */
  readonly fields?: Readonly<Record<string, { readonly schema: JsonSchema; readonly example: number }>>;
}

export const ERROR_GUIDE: Readonly<Record<BuyerErrorCode, ErrorGuide>> = {
  BAD_REQUEST: {
    when: 'The request is malformed, too large, or a header or field is missing or invalid.',
    action: 'Correct it; do not retry it unchanged.',
    mayRetrySameKey: true,
    charged: 'no',
    exampleMessage: 'quantity must be >= 1.',
  },
  UNAUTHORIZED: {
    when: 'The API key is missing, invalid, regenerated or revoked.',
    action: 'Check the key, or have a new one issued.',
    mayRetrySameKey: true,
    charged: 'no',
    exampleMessage: 'The API key is missing, invalid or revoked.',
  },
  INSUFFICIENT_BALANCE: {
    when: 'The balance is lower than the total.',
    action: 'Top up, then buy with a new key.',
    mayRetrySameKey: false,
    charged: 'no',
    exampleMessage: 'The balance is too low; nothing was charged.',
  },
  FORBIDDEN: {
    when: 'The API key lacks the scope of this call; the message names it.',
    action: 'Use a key that has the scope.',
    mayRetrySameKey: true,
    charged: 'no',
    exampleMessage: 'The API key lacks the scope orders:write.',
  },
  NOT_FOUND: {
    when: 'There is no such product on sale, no such order of this account, no webhook, or no such route.',
    action: 'Check the id.',
    mayRetrySameKey: false,
    charged: 'no',
    exampleMessage: 'There is no such product, or it is not available.',
  },
  PRICE_CHANGED: {
    when: 'The total now differs from `expectedPriceUsdt`.',
    action: 'Accept `currentPriceUsdt`, then buy with it and a new key.',
    mayRetrySameKey: false,
    charged: 'no',
    exampleMessage: 'The total price differs from expectedPriceUsdt; nothing was charged.',
    fields: {
      currentPriceUsdt: {
        schema: { type: 'number', description: 'The total for this quantity now.' },
        example: 7.5,
      },
    },
  },
  OUT_OF_STOCK: {
    when: 'There is less stock than the quantity.',
    action: 'Retry later with the same key, or buy fewer.',
    mayRetrySameKey: true,
    charged: 'no',
    exampleMessage: 'There is not enough stock; nothing was charged.',
  },
  IDEMPOTENCY_CONFLICT: {
    when: 'The `Idempotency-Key` was used before with a different request.',
    action: 'Use a new key for a new purchase.',
    mayRetrySameKey: false,
    charged: 'no',
    exampleMessage: 'This key was already used for a different request; use a new key.',
  },
  IDEMPOTENCY_UNRESOLVED: {
    when: 'The purchase with this `Idempotency-Key` was interrupted before it was charged.',
    action: 'Buy with a new key.',
    mayRetrySameKey: false,
    charged: 'no',
    exampleMessage: 'The purchase with this key was interrupted; nothing was charged. Retry with a new key.',
  },
  DELIVERY_NOT_READY: {
    when: 'The order is not `completed` yet.',
    action: 'Wait until it is.',
    mayRetrySameKey: true,
    charged: 'no',
    exampleMessage: 'The order is not completed yet: wait until it is.',
  },
  WEBHOOK_SECRET_UNREADABLE: {
    when: 'The secret of the webhook cannot be read any more, so nothing can be signed with it.',
    action: 'Register the webhook again.',
    mayRetrySameKey: true,
    charged: 'no',
    exampleMessage: 'The stored secret cannot be read: register the webhook again.',
  },
  RATE_LIMITED: {
    when: 'Too many requests.',
    action: 'Wait as many seconds as the header Retry-After says.',
    mayRetrySameKey: true,
    charged: 'no',
    exampleMessage: 'More than 120 requests in a minute.',
  },
  INTERNAL_ERROR: {
    when: 'The server failed to answer.',
    action:
      'Retry with backoff, a purchase with the same key: it happened once or not at all. Report `requestId`.',
    mayRetrySameKey: true,
    charged: 'unknown',
    exampleMessage: 'The server failed to answer; retry with backoff and report the requestId.',
  },
  PURCHASE_FAILED: {
    when: 'The supplier could not complete the purchase.',
    action: 'Buy with a new key, or ask support.',
    mayRetrySameKey: false,
    charged: 'no',
    exampleMessage: 'The purchase could not be completed; nothing was charged. Retry with a new key.',
  },
  PROVIDER_TIMEOUT: {
    when: 'The supplier did not answer in time.',
    action: 'Wait a few seconds, then buy with a new key.',
    mayRetrySameKey: false,
    charged: 'no',
    exampleMessage:
      'The supplier did not answer in time; nothing was charged. Retry with a new key after a few seconds.',
  },
  DELIVERY_UNAVAILABLE: {
    when: 'The file cannot be read now, or too many downloads are under way.',
    action: 'Retry after as many seconds as the header Retry-After says.',
    mayRetrySameKey: true,
    charged: 'no',
    exampleMessage: 'The file cannot be read now: retry in a few seconds.',
  },
};
