/** Orders are put together by hand: what comes out is what JSON.stringify gives, byte for byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { usdtFromMicros } from '../../../src/engine/money.ts';
import { ORDER_STATUSES, type Order } from '../../../src/engine/orders.ts';
import { orderJson, purchaseJson } from '../../../src/http/buyer/order-json.ts';

const count = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const micros = fc.oneof(
  fc.integer({ min: 0, max: 1_000_000_000 }),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
);
const order = fc.record({
  orderId: count,
  accountId: count,
  idempotencyKey: fc.string(),
  productId: count,
  quantity: count,
  expectedPriceUsdt: fc.double({ noNaN: true }),
  recipientUsername: fc.option(fc.string()),
  requestNumber: count,
  status: fc.constantFrom(...ORDER_STATUSES),
  totalMicros: micros,
  balanceAfterMicros: micros,
  firstItem: fc.nat(),
  fileId: fc.constant(null),
  textCount: fc.nat(),
  createdAtMs: fc.integer({ min: 0, max: 8.64e15 }),
  adjustments: fc.constant([]),
});
const item = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\n', '\u007f', '\u2028', 'ключ', '\ud800'),
);

const delivery = fc.oneof(
  fc.array(item, { maxLength: 4 }).map((items) => ({ items, downloadUrl: undefined })),
  count.map((id) => ({ items: undefined, downloadUrl: `/api/v1/buyer/orders/${id}/download` })),
  fc.constant(undefined),
);

/** The fields that both answers have, in their order. */
function head(order: Order) {
  return {
    success: true,
    orderId: order.orderId,
    status: order.status,
    productId: order.productId,
    quantity: order.quantity,
    totalPriceUsdt: usdtFromMicros(order.totalMicros),
    createdAt: order.createdAtMs,
  };
}

const requestId = 'req_0a1b2c_17';

test('the answer to a purchase, and an order', () => {
  fc.assert(
    fc.property(order, delivery, (order, delivery) => {
      const balanceAfterUsdt = usdtFromMicros(order.balanceAfterMicros);
      const purchase = { ...head(order), balanceAfterUsdt, requestId, delivery };
      assert.equal(purchaseJson(order, delivery, requestId), JSON.stringify(purchase));
      assert.equal(
        orderJson(order, delivery, requestId),
        JSON.stringify({ ...head(order), requestId, delivery }),
      );
    }),
    { numRuns: 500 },
  );
});
