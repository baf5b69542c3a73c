/** What POST /orders says about itself (SPEC.md §4). */
import type { Operation } from '../operation.ts';
import { PURCHASE, PURCHASE_BODY } from '../schemas/order.ts';

const COMPLETED = {
  success: true,
  orderId: 4711,
  status: 'completed',
  productId: 12,
  quantity: 2,
  totalPriceUsdt: 7,
  createdAt: 1767225600000,
  balanceAfterUsdt: 93,
  requestId: 'req_6f1c2a9be04d_4',
  delivery: { items: ['AAAA-BBBB-CCCC', 'DDDD-EEEE-FFFF'] },
};

export const PURCHASE_OPERATION: Operation = {
  operationId: 'purchase',
  tag: 'Orders',
  summary: 'Buy, and get what was bought',
  description: `
Checks the price, reserves the stock, debits the wallet and delivers, in one step: all of it happens or nothing.

Make one \`Idempotency-Key\` per purchase you intend, and store it before you send. The identical request with the same
key gets the answer of the purchase that happened, or it happens now, once. Requests are the same when \`productId\`,
\`quantity\`, \`expectedPriceUsdt\` and the recipient are. Keys belong to the account and stay valid when its API key is
regenerated.

After \`PRICE_CHANGED\`, accept \`currentPriceUsdt\` and buy with it and a new key.`.trim(),
  isIdempotent: true,
  body: {
    schema: PURCHASE_BODY,
    examples: {
      two: { productId: 12, quantity: 2, expectedPriceUsdt: 7 },
      forSomebody: { productId: 15, expectedPriceUsdt: 4.99, recipient: { username: '@some_one' } },
    },
  },
  answer: {
    status: 201,
    description: 'The order that the purchase made; of a repeated request, the same one.',
    schema: PURCHASE,
    examples: { completed: COMPLETED },
  },
  errors: [
    'BAD_REQUEST',
    'INSUFFICIENT_BALANCE',
    'NOT_FOUND',
    'PRICE_CHANGED',
    'OUT_OF_STOCK',
    'IDEMPOTENCY_CONFLICT',
  ],
};
