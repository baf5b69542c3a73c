/** The answer to a purchase that is put together by hand is the one that its schema gives, byte for byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ORDER_STATUSES } from '../../../src/engine/orders.ts';
import { purchaseJson, purchaseJsonBySchema } from '../../../src/http/buyer/order-json.ts';

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
  status: fc.constantFrom(...ORDER_STATUSES),
  totalMicros: micros,
  balanceAfterMicros: micros,
  firstItem: fc.nat(),
  fileId: fc.constant(null),
  textCount: fc.nat(),
  createdAtMs: fc.integer({ min: 0, max: 8.64e15 }),
});
const item = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\n', '\u007f', '\u2028', 'ключ', '\ud800'),
);

test('an order with items', () => {
  fc.assert(
    fc.property(order, fc.array(item, { maxLength: 4 }), (order, items) => {
      const delivery = { items, downloadUrl: undefined };
      assert.equal(
        purchaseJson(order, delivery, 'req_0a1b2c_17'),
        purchaseJsonBySchema(order, delivery, 'req_0a1b2c_17'),
      );
    }),
    { numRuns: 2_000 },
  );
});
