/** Descriptions of refunds and replacements. */
import { answerSchema } from '../../schemas/envelope.ts';
import { answer, type OperatorOperation, said, USDT } from '../operator-operation.ts';
import { KEY_HEADER, REPEATED } from '../repeated-call.ts';
import { DELIVERED_ITEMS, ORDER, ORDER_AFTER_REFUND } from './order-operations.ts';

const KEPT = 'A new one for each; the same one again changes nothing, and answers the order as it is now.';

const REFUNDED = answerSchema(
  'RefundedOrder',
  'The order, and the wallet as it is now.',
  { ...ORDER_AFTER_REFUND.required, balanceUsdt: said(USDT, 'The wallet as it is now.') },
  { ...ORDER_AFTER_REFUND.optional, ...REPEATED },
);

export const REFUND_ORDER: OperatorOperation = {
  operationId: 'refundOrder',
  tag: 'Orders',
  summary: 'Give money back: all that is left, an amount, or the shares of items',
  description:
    'A part needs the header `Idempotency-Key`, so that a repeated call refunds once. The order is `refunded` once all of it is.',
  requestHeaders: [{ ...KEY_HEADER, description: `Required for a part. ${KEPT}` }],
  answers: [answer(200, REFUNDED)],
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
  answers: [answer(200, REPLACED)],
  errors: ['NOT_FOUND', 'OUT_OF_STOCK', 'IDEMPOTENCY_CONFLICT', 'TRANSITION_NOT_ALLOWED', 'SALES_CLOSED'],
};
