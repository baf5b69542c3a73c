/** Descriptions of the routes of lots. */
import { answerSchema } from '../../schemas/envelope.ts';
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

const LABEL = {
  source: { type: 'string', description: 'Where it is from.' },
  costUsdt: said(USDT, 'What one item cost, in USDT. For `stock`, `finance` and `owner` only.'),
  reference: { type: 'string' },
} as const;

const LOT: Shape = {
  required: {
    lotId: { type: 'integer' },
    productId: { type: 'integer' },
    added: { type: 'integer' },
    available: { type: 'integer' },
    sold: { type: 'integer' },
    withdrawn: { type: 'integer', description: 'By withdrawals and by a recall.' },
    at: TIME,
  },
  optional: {
    ...LABEL,
    recalledAt: TIME,
    quarantined: { type: 'integer', description: 'Set aside after a restore: they may have been sold.' },
  },
};

const LOT_ANSWER = answerSchema('LotAnswer', 'The lot.', LOT.required, LOT.optional);
const LOT_PAGE = answerSchema(
  'LotPage',
  'Lots of the product, the newest first.',
  { lots: listOf(rowSchema('Lot', 'The items of one upload.', LOT), 'A page of them.') },
  NEXT_CURSOR,
);

const BUYERS = listOf(
  rowSchema('SoldOrder', 'An order that has items of the lot.', {
    required: { orderId: { type: 'integer' }, accountId: { type: 'integer' }, at: TIME },
  }),
  'Orders that have items of the lot, in the order of the items.',
);
const SOLD_PAGE = answerSchema('LotSoldPage', 'Who bought of the lot.', { sold: BUYERS }, NEXT_CURSOR);
const RECALL = answerSchema(
  'LotRecall',
  'What the recall took off sale, and who has the rest.',
  {
    lotId: { type: 'integer' },
    productId: { type: 'integer' },
    added: { type: 'integer' },
    withdrawn: { type: 'integer', description: 'What the recall took off sale.' },
    recalledAt: TIME,
    sold: BUYERS,
  },
  {
    ...LABEL,
    copiesWithdrawn: {
      type: 'integer',
      description: 'How many items of other lots have the same texts, and were withdrawn, too.',
    },
    ...NEXT_CURSOR,
  },
);

export const LIST_LOTS: OperatorOperation = {
  operationId: 'listLots',
  tag: 'Stock',
  summary: 'List the lots of a product',
  answers: [answer(200, LOT_PAGE)],
  errors: ['NOT_FOUND'],
};

export const GET_LOT: OperatorOperation = {
  operationId: 'getLot',
  tag: 'Stock',
  summary: 'Read a lot',
  answers: [answer(200, LOT_ANSWER)],
  errors: ['NOT_FOUND'],
};

export const LIST_LOT_SOLD: OperatorOperation = {
  operationId: 'listLotSold',
  tag: 'Stock',
  summary: 'List who bought of a lot',
  description: 'Of a period a page can be short or empty and still have a `nextCursor`.',
  answers: [answer(200, SOLD_PAGE)],
  errors: ['NOT_FOUND', 'NOT_READY'],
};

export const RECALL_LOT: OperatorOperation = {
  operationId: 'recallLot',
  tag: 'Stock',
  summary: 'Take what is unsold of a lot off sale, for good',
  description:
    'Repeated, it changes nothing and answers the same. The texts of the lot cannot be uploaded again.',
  answers: [answer(200, RECALL)],
  errors: ['NOT_FOUND', 'NOT_READY'],
};
