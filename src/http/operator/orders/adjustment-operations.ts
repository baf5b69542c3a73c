/** Descriptions of refunds and replacements. */
import { answerSchema } from '../../schemas/envelope.ts';
import { answer, type OperatorOperation, said, USDT } from '../operator-operation.ts';
import { KEY_HEADER, REPEATED } from '../repeated-call.ts';
import { COMPLETED, DELIVERED, DELIVERED_ITEMS, ORDER, ORDER_AFTER_REFUND } from './order-operations.ts';

const KEPT = 'A new one for each; the same one again changes nothing, and answers the order as it is now.';

const REFUNDED = answerSchema(
  'RefundedOrder',
  'The order, and the wallet as it is now.',
  { ...ORDER_AFTER_REFUND.required, balanceUsdt: said(USDT, 'The wallet as it is now.') },
  { ...ORDER_AFTER_REFUND.optional, ...REPEATED },
);
const { balanceAfterUsdt: _, ...SOLD } = COMPLETED;

export const REFUND_ORDER: OperatorOperation = {
  operationId: 'refundOrder',
  tag: 'Orders',
  summary: 'Give money back: all that is left, an amount, or the shares of items',
  description:
    'A part needs the header `Idempotency-Key`, so that a repeated call refunds once. The order is `refunded` once all of it is.',
  requestHeaders: [{ ...KEY_HEADER, description: `Required for a part. ${KEPT}` }],
  bodies: { all: {}, amount: { amountUsdt: 2.5 }, items: { items: [1], reason: 'the code was used' } },
  answers: [
    answer(200, REFUNDED, {
      part: {
        ...SOLD,
        refundedUsdt: 2.5,
        adjustments: [{ kind: 'refund', at: 1767312000000, amountUsdt: 2.5, idempotencyKey: 'refund 1' }],
        balanceUsdt: 95.5,
      },
      all: { ...SOLD, status: 'refunded', refundedUsdt: 7, balanceUsdt: 100 },
    }),
  ],
  errors: ['NOT_FOUND', 'IDEMPOTENCY_CONFLICT', 'TRANSITION_NOT_ALLOWED'],
};

const REPLACED = answerSchema(
  'ReplacedOrder',
  'The order, with the new items in their places.',
  ORDER.required,
  {
    ...ORDER.optional,
    delivery: { type: 'object', required: ['items'], properties: { items: DELIVERED_ITEMS } },
    ...REPEATED,
  },
);

export const REPLACE_ITEMS: OperatorOperation = {
  operationId: 'replaceItems',
  tag: 'Orders',
  summary: 'Give new items from own stock for bad ones',
  description: 'Needs the header `Idempotency-Key`.',
  requestHeaders: [{ ...KEY_HEADER, description: `Required. ${KEPT}` }],
  bodies: { second: { items: [1], reason: 'the code was used' } },
  answers: [
    answer(200, REPLACED, {
      replaced: {
        ...COMPLETED,
        adjustments: [
          {
            kind: 'replacement',
            at: 1767312000000,
            items: [1],
            oldItems: [18],
            newItems: [251],
            idempotencyKey: 'replacement 1',
          },
        ],
        ...DELIVERED,
      },
    }),
  ],
  errors: ['NOT_FOUND', 'OUT_OF_STOCK', 'IDEMPOTENCY_CONFLICT', 'TRANSITION_NOT_ALLOWED', 'SALES_CLOSED'],
};
