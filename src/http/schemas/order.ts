/**
 * Orders: the body and the key of a purchase, and the Order of SPEC.md §2 in its two forms: as a purchase
 * answers it, with the balance after it, and as GET /orders/{id} does, without.
 */
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../../engine/limits.ts';
import { ORDER_STATUSES } from '../../engine/orders.ts';
import { answerSchema } from './envelope.ts';
import type { JsonSchema, TypeOf } from './json-schema.ts';

/** Visible ASCII and spaces: what every HTTP library sends and shows alike. */
export const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_IDEMPOTENCY_KEY_LENGTH,
  pattern: '^[\\x20-\\x7e]+$',
} as const;

export const ID = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER } as const;

/** `@`, then 5 to 32 letters, digits or underscores. */
export const USERNAME = {
  type: 'string',
  pattern: '^@[A-Za-z0-9_]{5,32}$',
  description: 'A chat username: `@`, then 5 to 32 letters, digits or underscores.',
} as const;

export const PURCHASE_BODY = {
  title: 'PurchaseRequest',
  description: 'What to buy. Other fields are ignored.',
  type: 'object',
  required: ['productId', 'expectedPriceUsdt'],
  properties: {
    productId: {
      type: 'integer',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The `id` of a product in GET /products.',
    },
    quantity: {
      type: 'integer',
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 1,
      description: 'How many to buy.',
    },
    expectedPriceUsdt: {
      type: 'number',
      minimum: 0,
      description:
        'The total for the whole quantity, not per unit. When the total is different now, nothing is charged.',
    },
    recipient: {
      title: 'Recipient',
      type: 'object',
      description: 'Who gets it; required when the product has `requiresRecipient`.',
      properties: { username: USERNAME },
    },
    recipientUsername: {
      ...USERNAME,
      description: 'Another way to send `recipient.username`. When both are sent, they must be equal.',
    },
  },
} as const satisfies JsonSchema;

export type PurchaseBody = TypeOf<typeof PURCHASE_BODY>;

const DELIVERY: JsonSchema = {
  title: 'Delivery',
  description:
    'What was bought: either `items` or `downloadUrl`. Present exactly when the order is `completed`.',
  type: 'object',
  properties: {
    items: { type: 'array', items: { type: 'string' }, description: 'One text for each item.' },
    downloadUrl: {
      type: 'string',
      pattern: '^/api/v1/buyer/orders/[1-9][0-9]*/download$',
      description: 'For file products: the path of the file on this server.',
    },
  },
};

const ORDER_PROPERTIES = {
  orderId: { type: 'integer' },
  status: {
    type: 'string',
    enum: ORDER_STATUSES,
    description:
      '`processing` and `pending_delivery`: not finished yet. `completed`: there is a `delivery`. `failed` and `refunded`: the amount was returned.',
  },
  productId: { type: 'integer' },
  quantity: { type: 'integer' },
  totalPriceUsdt: { type: 'number', description: 'What was charged for the whole quantity.' },
  createdAt: { type: 'integer', description: 'Unix milliseconds, UTC.' },
} as const satisfies Record<string, JsonSchema>;

export const ORDER = answerSchema('Order', 'An order.', ORDER_PROPERTIES, { delivery: DELIVERY });

export const PURCHASE = answerSchema(
  'Purchase',
  'The order that a purchase made. A repeated request with the same key gets the same order.',
  {
    ...ORDER_PROPERTIES,
    balanceAfterUsdt: { type: 'number', description: 'The balance right after the purchase.' },
  },
  { delivery: DELIVERY },
);
