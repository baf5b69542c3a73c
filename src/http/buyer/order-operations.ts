/** Descriptions of the routes of orders (SPEC.md §4). */
import type { Operation } from '../operation.ts';
import { FILE_ANSWERS, FILE_HEADERS, NO_SUCH_RANGE } from '../schemas/file.ts';
import { ORDER, PURCHASE, PURCHASE_BODY } from '../schemas/order.ts';

export const PLACE_ORDER: Operation = {
  operationId: 'placeOrder',
  tag: 'Orders',
  summary: 'Buy, and get what was bought',
  description: `
Checks the price, reserves the stock, debits the wallet and delivers, in one step: all of it happens or nothing.

Make a new \`Idempotency-Key\` for each purchase, and store it before you send. The identical request with the same
key never buys twice: it gets the answer of the first purchase, or, when there was none, it buys now. Two requests are
identical when they have the same \`productId\`, \`quantity\`, \`expectedPriceUsdt\` and recipient. Keys belong to the account and stay valid when its API key is
regenerated.

After \`PRICE_CHANGED\`, buy again with \`currentPriceUsdt\` as the expected price, and with a new key.`.trim(),
  isIdempotent: true,
  body: {
    schema: PURCHASE_BODY,
  },
  answers: [
    {
      status: 201,
      description: 'The order that the purchase made. A repeated request gets the same order.',
      schema: PURCHASE,
    },
  ],
  errors: [
    'BAD_REQUEST',
    'INSUFFICIENT_BALANCE',
    'NOT_FOUND',
    'PRICE_CHANGED',
    'OUT_OF_STOCK',
    'IDEMPOTENCY_CONFLICT',
    'IDEMPOTENCY_UNRESOLVED',
    'PURCHASE_FAILED',
    'PROVIDER_TIMEOUT',
    'SALES_CLOSED',
  ],
};

export const GET_ORDER: Operation = {
  operationId: 'getOrder',
  tag: 'Orders',
  summary: 'Read an order, with what it delivered',
  description:
    'Orders of this account only; there is no list of them. While an order is not finished, read it every 5 to 10 seconds.',
  answers: [
    {
      status: 200,
      description: 'The order.',
      schema: ORDER,
    },
  ],
  errors: ['NOT_FOUND'],
};

export const DOWNLOAD_FILE: Operation = {
  operationId: 'downloadFile',
  tag: 'Orders',
  summary: 'Download the file of an order',
  description:
    'For file products, as often as you like. It stays the file that was bought, even if the product gets another file later.',
  requestHeaders: FILE_HEADERS,
  answers: FILE_ANSWERS,
  errors: ['NOT_FOUND', 'DELIVERY_NOT_READY', NO_SUCH_RANGE, 'DELIVERY_UNAVAILABLE'],
};
