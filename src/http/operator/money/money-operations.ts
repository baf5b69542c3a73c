/** Descriptions of the routes of wallets and of money over time. */
import { MONEY_KINDS } from '../../../engine/apply/money-change.ts';
import { answerSchema } from '../../schemas/envelope.ts';
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

const CREDIT = answerSchema(
  'Credit',
  'What was credited, and the wallet right after it.',
  {
    accountId: { type: 'integer' },
    reference: { type: 'string' },
    amountUsdt: said(USDT, 'Negative: adjusted down.'),
    balanceUsdt: said(USDT, 'The wallet right after it.'),
  },
  { repeated: { type: 'boolean', const: true, description: 'This happened before, and not again.' } },
);

export const CREDIT_WALLET: OperatorOperation = {
  operationId: 'creditWallet',
  tag: 'Money',
  summary: 'Add money to a wallet, or take some away',
  description: `
The \`reference\` makes it happen once: the same one again, with the same amount, is answered 200 and the first result
with \`repeated: true\`; with another amount it is 409.`.trim(),
  answers: [answer(201, CREDIT), answer(200, CREDIT, 'It happened before; this is what it led to.')],
  errors: ['NOT_FOUND', 'IDEMPOTENCY_CONFLICT', 'INSUFFICIENT_BALANCE'],
};

const ZONE = {
  type: 'string',
  description: 'The zone of days, and of dates without a time: `UTC`, or the `timeZone` that was asked for.',
} as const;

const MOVEMENT: Shape = {
  required: {
    seq: { type: 'integer', description: 'Its fact in the feed.' },
    at: TIME,
    kind: { type: 'string', enum: MONEY_KINDS },
    amountUsdt: said(USDT, 'Signed: what it added to the wallet.'),
    balanceUsdt: said(USDT, 'The wallet after it.'),
  },
  optional: {
    orderId: { type: 'integer', description: 'Of a hold, the order that it became within the period.' },
    reference: { type: 'string', description: 'Of a credit, or what a supplier knows a purchase by.' },
    operator: { type: 'string', description: 'Who did it, if it was an operator.' },
    reason: { type: 'string' },
  },
};

const STATEMENT = answerSchema(
  'Statement',
  'What moved the wallet in the period, oldest first.',
  {
    openingUsdt: said(USDT, 'The wallet before the period.'),
    closingUsdt: said(USDT, 'The wallet at its end: of the whole period, on each page.'),
    timeZone: ZONE,
    movements: listOf(rowSchema('Movement', 'What moved the wallet.', MOVEMENT), 'A page of them.'),
    position: {
      type: 'object',
      description: 'Ties the statement to the journal, all of it up to the last movement before `to`.',
      required: ['seq', 'hash'],
      properties: {
        seq: { type: 'integer', description: 'The fact of that movement; 0 without any.' },
        hash: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of the frame that has the fact.' },
      },
    },
  },
  NEXT_CURSOR,
);

export const READ_STATEMENT: OperatorOperation = {
  operationId: 'readStatement',
  tag: 'Money',
  summary: 'Read what moved a wallet in a period',
  description: `
A period that has ended gives the same statement whenever it is asked for. \`openingUsdt\` plus all amounts is
\`closingUsdt\`. With \`Accept: text/csv\` the answer is all of the period as CSV, without \`cursor\` and \`limit\`; with \`?excel=true\` besides, CSV that
spreadsheets open as it is.`.trim(),
  requestHeaders: [ACCEPT_CSV],
  answers: [
    {
      ...answer(200, STATEMENT),
      others: {
        'text/csv':
          'A line for each movement (RFC 4180), the first one with the names of the columns: `seq,at,kind,amountUsdt,balanceUsdt,orderId,reference,operator,reason,timeZone`. Times are RFC 3339, of the clocks of `timeZone`, with what they are ahead of UTC. Streamed, at any length.',
      },
    },
  ],
  errors: ['NOT_FOUND', 'NOT_READY'],
};

const SUMS = {
  depositsUsdt: said(USDT, 'What operators credited, adjustments included.'),
  salesUsdt: said(USDT, 'What orders were charged.'),
  refundsUsdt: said(USDT, 'What was refunded, and what failed orders returned.'),
  heldUsdt: said(USDT, 'By how much holds changed.'),
  walletsUsdt: said(USDT, 'By how much wallets changed: deposits − sales + refunds − change of holds.'),
};

const REPORT_ROW = rowSchema('MoneyRow', 'The sums of a day, a product or an account.', {
  required: SUMS,
  optional: {
    day: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', description: 'In `timeZone`.' },
    productId: { type: 'integer' },
    accountId: { type: 'integer' },
  },
});

const REPORT = answerSchema(
  'MoneyReport',
  'Sums of money over a period.',
  {
    timeZone: ZONE,
    ...SUMS,
    rows: listOf(REPORT_ROW, 'One for each that had any of it. No row of a product has deposits.'),
  },
  NEXT_CURSOR,
);

export const REPORT_MONEY: OperatorOperation = {
  operationId: 'reportMoney',
  tag: 'Money',
  summary: 'Sum up a period by day, product or account',
  description:
    'Over all time the sums are the `ledger` of GET /status. Days are those of `timeZone`, of 23 or 25 hours where clocks change. By day, any zone is quick; by product or account, a period that does not begin and end with a day of UTC takes about a second for each million facts of these two days.',
  answers: [answer(200, REPORT)],
  errors: ['NOT_READY'],
};
