/** Descriptions of the routes of orders, but those of `adjustments.ts`. */
import { ORDER_STATUSES } from '../../../engine/orders.ts';
import { PRICE_RULES } from '../../../engine/pricing/price-rule.ts';
import { answerSchema } from '../../schemas/envelope.ts';
import { FILE_ANSWERS, FILE_HEADERS, NO_SUCH_RANGE } from '../../schemas/file.ts';
import type { JsonSchema } from '../../schemas/json-schema.ts';
import { ACCEPT_CSV } from '../csv-listing.ts';
import {
  answer,
  listOf,
  NEXT_CURSOR,
  type OperatorOperation,
  rowSchema,
  type Shape,
  said,
  TIME,
  USDT,
} from '../operator-operation.ts';
import { repeatable } from '../repeated-call.ts';
import { ORDER_COLUMNS } from './order-csv.ts';

const NUMBERS: JsonSchema = { type: 'array', items: { type: 'integer' } };

const ADJUSTMENTS = listOf(
  rowSchema('Adjustment', 'A refund, or a replacement of items.', {
    required: { kind: { type: 'string', enum: ['refund', 'replacement'] }, at: TIME },
    optional: {
      amountUsdt: said(USDT, 'Of a refund: what went back.'),
      items: said(NUMBERS, 'The places in the order, from 0.'),
      oldItems: {
        type: 'array',
        items: { type: 'integer', nullable: true },
        description:
          'Of a replacement: the numbers in stock of what was there; null of what never was in stock.',
      },
      newItems: said(NUMBERS, 'Of a replacement: the numbers in stock of what is there now.'),
      idempotencyKey: { type: 'string', description: 'With which it was asked for.' },
    },
  }),
  'Refunds and replacements, oldest first; absent when there were none.',
);

export const DELIVERED_ITEMS = listOf({ type: 'string' }, 'One text for each item.');
const DELIVERY: JsonSchema = {
  title: 'Delivery',
  description: 'What the order delivers: either `items` or `downloadUrl`.',
  type: 'object',
  properties: {
    items: DELIVERED_ITEMS,
    downloadUrl: { type: 'string', description: 'Of a file: where the buyer finds it.' },
  },
};

const BALANCE_AFTER = {
  balanceAfterUsdt: said(USDT, 'The wallet right after the order was charged.'),
} as const;
const PLACED: Shape['required'] = {
  orderId: { type: 'integer' },
  accountId: { type: 'integer' },
  status: { type: 'string', enum: ORDER_STATUSES },
  productId: { type: 'integer' },
  quantity: { type: 'integer' },
  totalPriceUsdt: said(USDT, 'What it was charged, or will be.'),
  createdAt: TIME,
};
const RECIPIENT = { recipientUsername: { type: 'string' } } as const;
const PRICE_RULE = {
  priceRule: {
    type: 'string',
    enum: PRICE_RULES,
    description: 'Where the total came from; absent of an order that was recovered by its receipt.',
  },
  priceListId: { type: 'integer', description: 'The price list, of rules `list` and `percent`.' },
} as const;
const OPTIONAL: NonNullable<Shape['optional']> = {
  ...PRICE_RULE,
  refundedUsdt: said(USDT, 'What was refunded so far.'),
  idempotencyKey: { type: 'string', description: 'Of a purchase.' },
  ...RECIPIENT,
};
const PURCHASE_REQUEST = {
  type: 'string',
  description: 'The `requestId` of the answer to the purchase; the envelope has one of its own.',
} as const;

/** A single one, without what it delivers. */
export const ORDER: Shape = {
  required: { ...PLACED, ...BALANCE_AFTER },
  optional: { ...OPTIONAL, purchaseRequestId: PURCHASE_REQUEST, adjustments: ADJUSTMENTS },
};
/** A single order without the wallet after the sale, which would be taken for the wallet as it is now. */
export const ORDER_AFTER_REFUND: Shape = { required: PLACED, optional: ORDER.optional ?? {} };

const WITH_DELIVERY = { ...ORDER.optional, delivery: DELIVERY };

const ROW = rowSchema('Order', 'An order.', {
  required: ORDER.required,
  optional: {
    ...OPTIONAL,
    requestId: { type: 'string', description: 'Of the answer to the purchase.' },
  },
});
const PAGE = answerSchema(
  'OrderPage',
  'Orders, the newest first.',
  { orders: listOf(ROW, 'A page of them.') },
  {
    ...NEXT_CURSOR,
    timeZone: { type: 'string', description: 'The zone of dates without a time, where one was asked for.' },
  },
);
const ONE = answerSchema('OrderAnswer', 'The order.', ORDER.required, WITH_DELIVERY);
/** The answer of a purchase that is to be paid. The order's request is the one that is answered. */
const OPENED = answerSchema('OpenedOrder', 'The order, which is to be paid.', ORDER.required, {
  ...PRICE_RULE,
  ...RECIPIENT,
});

export const LIST_ORDERS: OperatorOperation = {
  operationId: 'listOrders',
  tag: 'Orders',
  summary: 'Find orders',
  description:
    'All filters can be combined; an order must fit all of them. A page can be short or empty and still have a `nextCursor`: go on until there is none. With `Accept: text/csv` the answer is the whole list as CSV, without `cursor` and `limit`; with `?excel=true` besides, CSV that spreadsheets open as it is.',
  requestHeaders: [ACCEPT_CSV],
  answers: [
    {
      ...answer(200, PAGE),
      others: {
        'text/csv': `A line for each order (RFC 4180), the newest first, and before them the names of the columns: \`${ORDER_COLUMNS.join()}\`. Times are RFC 3339, of the clocks of \`timeZone\`, with what they are ahead of UTC. Streamed, at any length; orders that are made meanwhile are left out.`,
      },
    },
  ],
  errors: [],
};

export const OPEN_ORDER = repeatable({
  operationId: 'openOrder',
  tag: 'Orders',
  summary: 'Open an order, to be paid later',
  answers: [answer(201, OPENED)],
  errors: ['NOT_FOUND'],
});

export const GET_ORDER: OperatorOperation = {
  operationId: 'getOrder',
  tag: 'Orders',
  summary: 'Read an order',
  description:
    'Only `support` and `owner` see `delivery`. That they saw texts is a fact, `ItemTextsShown`, before they do: a program that polls sends `items=false`.',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND'],
};

export const READ_ORDER_FILE: OperatorOperation = {
  operationId: 'readOrderFile',
  tag: 'Orders',
  summary: 'Read the file that an order bought',
  description: 'Only while the order is `completed`, like `delivery`. It stays the file that was bought.',
  requestHeaders: FILE_HEADERS,
  answers: FILE_ANSWERS,
  errors: ['NOT_FOUND', 'BAD_REQUEST', NO_SUCH_RANGE, 'DELIVERY_UNAVAILABLE'],
};

export const PAY_ORDER: OperatorOperation = {
  operationId: 'payOrder',
  tag: 'Orders',
  summary: 'Charge an order that is processing',
  description:
    'What it costs is its total of now. When it cannot be paid it stays `processing`. Of a product of a supplier, the answer comes when the supplier has answered.',
  answers: [answer(200, ONE)],
  errors: [
    'NOT_FOUND',
    'INSUFFICIENT_BALANCE',
    'PRICE_CHANGED',
    'OUT_OF_STOCK',
    'TRANSITION_NOT_ALLOWED',
    'PURCHASE_FAILED',
    'PROVIDER_TIMEOUT',
    'SALES_CLOSED',
  ],
};

export const COMPLETE_ORDER: OperatorOperation = {
  operationId: 'completeOrder',
  tag: 'Orders',
  summary: 'Deliver an order that is pending delivery',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND', 'TRANSITION_NOT_ALLOWED'],
};

export const FAIL_ORDER: OperatorOperation = {
  operationId: 'failOrder',
  tag: 'Orders',
  summary: 'End an order that cannot be delivered',
  description: 'What was paid returns to the wallet.',
  answers: [answer(200, ONE)],
  errors: ['NOT_FOUND', 'TRANSITION_NOT_ALLOWED'],
};

const TIMELINE = answerSchema(
  'OrderTimeline',
  'What happened to the order, oldest first.',
  {
    orderId: { type: 'integer' },
    events: listOf(
      {
        title: 'TimelineEvent',
        description:
          'What happened. Its other fields follow from `type`: those of the line of the feed, and `operator`, `reason` and `requestId`.',
        type: 'object',
        required: ['at', 'type'],
        properties: {
          at: TIME,
          type: {
            type: 'string',
            description: '`Requested`, a type of the feed, `WebhookEvent` or `WebhookAttempt`.',
          },
        },
        additionalProperties: true,
      },
      'Without any text of an item.',
    ),
  },
  {
    omitted: {
      type: 'integer',
      description: 'How many are left out: of many the middle.',
    },
    webhooksOmitted: {
      type: 'boolean',
      const: true,
      description: 'There were too many webhook events at the time of the purchase to look for its own.',
    },
  },
);

export const READ_TIMELINE: OperatorOperation = {
  operationId: 'readTimeline',
  tag: 'Orders',
  summary: 'Read what happened to an order',
  answers: [answer(200, TIMELINE)],
  errors: ['NOT_FOUND', 'NOT_READY'],
};
