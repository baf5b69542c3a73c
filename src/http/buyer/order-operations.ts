/** What the routes of orders say about themselves (SPEC.md §4). */
import type { Operation } from '../operation.ts';
import { ORDER, PURCHASE, PURCHASE_BODY } from '../schemas/order.ts';

const ITEMS_ORDER = {
  success: true,
  orderId: 4711,
  status: 'completed',
  productId: 12,
  quantity: 2,
  totalPriceUsdt: 7,
  createdAt: 1767225600000,
  requestId: 'req_6f1c2a9be04d_4',
  delivery: { items: ['AAAA-BBBB-CCCC', 'DDDD-EEEE-FFFF'] },
};

const FILE_ORDER = {
  ...ITEMS_ORDER,
  productId: 14,
  delivery: { downloadUrl: '/api/v1/buyer/orders/4711/download' },
};

const { delivery: _, ...WITHOUT_DELIVERY } = ITEMS_ORDER;
const PENDING_ORDER = { ...WITHOUT_DELIVERY, status: 'pending_delivery', productId: 15 };

const BALANCE_AFTER = { balanceAfterUsdt: 93 };

export const PLACE_ORDER: Operation = {
  operationId: 'placeOrder',
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
      forSomebody: { productId: 15, expectedPriceUsdt: 7, recipient: { username: '@some_one' } },
    },
  },
  answers: [
    {
      status: 201,
      description: 'The order that the purchase made; of a repeated request, the same one.',
      content: {
        schema: PURCHASE,
        examples: {
          items: { ...ITEMS_ORDER, ...BALANCE_AFTER },
          file: { ...FILE_ORDER, ...BALANCE_AFTER },
          pending: { ...PENDING_ORDER, ...BALANCE_AFTER },
        },
      },
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
  ],
};

export const GET_ORDER: Operation = {
  operationId: 'getOrder',
  tag: 'Orders',
  summary: 'Read an order, with what it delivered',
  description:
    'Orders of this account only; there is no list of them. Ask every 5 to 10 seconds after one that is under way.',
  answers: [
    {
      status: 200,
      description: 'The order.',
      content: { schema: ORDER, examples: { items: ITEMS_ORDER, file: FILE_ORDER, pending: PENDING_ORDER } },
    },
  ],
  errors: ['NOT_FOUND'],
};

const OF_FILE = ['ETag', 'Accept-Ranges'] as const;
const OF_BYTES = [...OF_FILE, 'Content-Disposition', 'X-Content-Type-Options'] as const;

export const DOWNLOAD_FILE: Operation = {
  operationId: 'downloadFile',
  tag: 'Orders',
  summary: 'Download the file of an order',
  description:
    'Of file products. As often as you like; it is the file that was bought, also after the product got another.',
  requestHeaders: [
    { name: 'Range', description: 'One range of bytes, to resume a download.', example: 'bytes=1048576-' },
    {
      name: 'If-Range',
      description: 'The ETag of the part you have: when the file is another, all of it comes.',
      example: `"${'0'.repeat(64)}"`,
    },
    {
      name: 'If-None-Match',
      description: 'The ETag of the file you have: when it is this one, nothing comes.',
      example: `"${'0'.repeat(64)}"`,
    },
  ],
  answers: [
    {
      status: 200,
      description:
        'The bytes, with their Content-Type. Not complete unless there are Content-Length of them.',
      content: 'bytes',
      headers: OF_BYTES,
    },
    {
      status: 206,
      description: 'The bytes of the range.',
      content: 'bytes',
      headers: [...OF_BYTES, 'Content-Range'],
    },
    { status: 304, description: 'You have this file.', headers: OF_FILE },
  ],
  errors: [
    'NOT_FOUND',
    'DELIVERY_NOT_READY',
    { code: 'BAD_REQUEST', status: 416, headers: ['Content-Range'] },
    'DELIVERY_UNAVAILABLE',
  ],
};
