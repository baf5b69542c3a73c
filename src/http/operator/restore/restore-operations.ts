/** Descriptions of the routes of a restore. */
import { answerSchema } from '../../schemas/envelope.ts';
import {
  answer,
  listOf,
  type OperatorOperation,
  rowSchema,
  said,
  TIME,
  USDT,
} from '../operator-operation.ts';
import { TAKEN_AWAY } from './taken-away-schema.ts';

const QUARANTINED = {
  type: 'integer',
  description: 'Items that are off sale because they may have been sold in the gap.',
} as const;

const STATUS_FIELDS = {
  sales: {
    type: 'string',
    enum: ['open', 'closed'],
    description: 'While they are closed, purchases are answered 503 `SALES_CLOSED`.',
  },
  epoch: { type: 'integer', description: '1 until the first restore; each restore begins the next one.' },
  gap: {
    type: 'object',
    nullable: true,
    description: 'What the shop may have done that nobody here knows of; null when sales are open.',
    required: ['from', 'to', 'orders'],
    properties: {
      from: said(TIME, 'When the last fact happened that was restored, in Unix milliseconds.'),
      to: said(TIME, 'When it was restored, in Unix milliseconds.'),
      orders: {
        type: 'integer',
        nullable: true,
        description: 'How many orders there were in it; null while unknown.',
      },
    },
  },
  quarantined: QUARANTINED,
  waitingDebitCount: { type: 'integer', description: 'How many debits wait.' },
  waitingDebits: listOf(
    rowSchema('WaitingDebit', 'What an order of the gap cost, and its wallet lacks.', {
      required: {
        orderId: { type: 'integer' },
        accountId: { type: 'integer' },
        amountUsdt: USDT,
        since: TIME,
      },
    }),
    'The first 1,000 of them. Enter the credits that were lost: then they are debited by themselves.',
  ),
} as const;
const COUNTS = {
  keys: { type: 'integer' },
  operators: { type: 'integer' },
  webhooks: { type: 'integer' },
  products: { type: 'integer' },
} as const;
const OPTIONAL_FIELDS = {
  undecided: {
    type: 'object',
    description:
      'Active API keys, operators, webhooks and active products as they were restored, while sales are closed: the gap may have taken them away. Opening sales decides on them.',
    required: ['keys', 'operators', 'webhooks', 'products'],
    properties: COUNTS,
  },
  takenAway: TAKEN_AWAY,
} as const;
const STATUS = answerSchema('Restore', 'What a restore has left open.', STATUS_FIELDS, OPTIONAL_FIELDS);
const OPENED = answerSchema(
  'SalesOpened',
  'What a restore has left open, now that sales are.',
  {
    ...STATUS_FIELDS,
    ended: {
      type: 'object',
      description: 'How many this call has ended; none when sales were open.',
      required: ['keys', 'operators', 'webhooks', 'products'],
      properties: COUNTS,
    },
  },
  OPTIONAL_FIELDS,
);

export const GET_RESTORE: OperatorOperation = {
  operationId: 'getRestore',
  tag: 'Restore',
  summary: 'Read what a restore has left open',
  answers: [answer(200, STATUS)],
  errors: [],
};

const SET_ASIDE = answerSchema('ItemsQuarantined', 'What was set aside.', {
  quarantined: QUARANTINED,
  products: listOf(
    rowSchema('QuarantinedProduct', 'A product of which items are set aside.', {
      required: {
        productId: { type: 'integer' },
        setAside: { type: 'integer', description: 'By this call.' },
        quarantined: { type: 'integer', description: 'In all.' },
      },
    }),
    'A row for each.',
  ),
});

export const QUARANTINE: OperatorOperation = {
  operationId: 'quarantineItems',
  tag: 'Restore',
  summary: 'Set the next items aside',
  description:
    'They may have been sold in the gap. A receipt claims them; what nobody claims is released or withdrawn later.',
  answers: [answer(200, SET_ASIDE)],
  errors: ['NOT_FOUND'],
};

const ENDED = answerSchema('QuarantineEnded', 'What became of the items that were set aside.', {
  quarantined: { type: 'integer', description: 'Items that are still set aside.' },
  products: listOf(
    rowSchema('EndedQuarantine', 'A product whose items are not set aside any more.', {
      required: {
        productId: { type: 'integer' },
        released: {
          type: 'integer',
          description: 'For sale again: where they were while sales are closed, else as new lots.',
        },
        withdrawn: {
          type: 'integer',
          description: 'Off sale for good; of a release those whose texts the product has elsewhere.',
        },
      },
    }),
    'A row for each.',
  ),
});

export const RELEASE: OperatorOperation = {
  operationId: 'releaseQuarantinedItems',
  tag: 'Restore',
  summary: 'Put items that were set aside on sale again',
  answers: [answer(200, ENDED)],
  errors: ['NOT_FOUND', 'RATE_LIMITED', 'TRANSITION_NOT_ALLOWED'],
};

export const WITHDRAW_QUARANTINED: OperatorOperation = {
  operationId: 'withdrawQuarantinedItems',
  tag: 'Restore',
  summary: 'Withdraw items that were set aside',
  answers: [answer(200, ENDED)],
  errors: ['NOT_FOUND', 'TRANSITION_NOT_ALLOWED'],
};

export const OPEN_SALES: OperatorOperation = {
  operationId: 'openSales',
  tag: 'Restore',
  summary: 'Open sales after a restore',
  description: `Whoever bought in the gap, and has sent no receipt, buys again with his key, or gets nothing for what he paid. What was
taken away in the gap is there again: keys, operators and their tokens, webhooks, and products on sale at their old price.
So it must be said of each whether what was restored is kept, or ends; what came since the restore stays in any case.
Ends happen before sales open: when the call is interrupted, sales are closed, and the same call goes on. Repeated, it
changes nothing.`,
  answers: [answer(200, OPENED)],
  errors: ['TRANSITION_NOT_ALLOWED'],
};
