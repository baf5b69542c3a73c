/**
 * Reading and writing by hand: the plain bodies of purchases as the JSON parser and the schema would read them, all
 * others being left to these; and orders as JSON.stringify writes them, byte for byte.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { usdtFromMicros } from '../../../src/engine/money.ts';
import { ORDER_STATUSES, type Order } from '../../../src/engine/orders.ts';
import { orderHead, orderJson, orderParts, purchaseHead } from '../../../src/http/buyer/order-json.ts';
import { PlainPurchaseReader } from '../../../src/http/buyer/plain-purchase.ts';
import { compileSchema, parseJson } from '../../../src/http/json-body.ts';
import { PURCHASE_BODY } from '../../../src/http/schemas/order.ts';

const plain = new PlainPurchaseReader();
const validate = compileSchema(PURCHASE_BODY);

/** Bodies that a parser could be mistaken about: read rightly, or left to the JSON parser. */
const ODD = [
  ' \r\n\t{ "expectedPriceUsdt" : 0.000001 , "quantity" : 1 , "productId" : 0 } \n',
  '{"productId":999999999999999,"expectedPriceUsdt":99999999.1234567}',
  ...[
    '',
    '7',
    '{}',
    '{"expectedPriceUsdt":1}',
    '{"productId":7,"quantity":1}',
    '{"productId":7,"expectedPri',
  ],
  ...['{"productId":7,"productId":8,"expectedPriceUsdt":1}', '{"productId7":7,"expectedPriceUsdt":1}'],
  '{"productId":7,"expectedPriceUsdt":1,"recipientUsername":"@somebody"}',
  '\ufeff{"productId":7,"expectedPriceUsdt":1}',
  ...['7.5', '-7', '07', '"7"', 'null'].map((id) => `{"productId":${id},"expectedPriceUsdt":1}`),
  ...['0', '1.0', 'null'].map((count) => `{"productId":7,"quantity":${count},"expectedPriceUsdt":1}`),
  ...['1e2', '1.', '.5', '0.1234567890123456', '1,', '1}x'].map(
    (price) => `{"productId":7,"expectedPriceUsdt":${price}}`,
  ),
  '{"product\\u0049d":7,"expectedPriceUsdt":1}',
];

/** As a client may write them: exactly, oddly, or wrong. */
const number = fc.oneof(
  { weight: 8, arbitrary: fc.nat(1_000_000).map(String) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat(1e9), fc.integer({ min: 0, max: 8 }))
      .map(([n, width]) => (n / 997).toFixed(width)),
  },
  { weight: 1, arbitrary: fc.double({ min: -1, max: 1e15, noNaN: true }).map(String) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('0', '00', '0.0', '1.', '-0', '1e3', '9007199254740993', '"1"', 'null', '1 2'),
  },
);
const space = fc.constantFrom('', '', '', '', ' ', '\n', '\t\r');
const member = (name: string) =>
  fc
    .tuple(space, space, space, number, space)
    .map(([a, b, c, value, d]) => `${a}"${name}"${b}:${c}${value}${d}`);
const names = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.shuffledSubarray(['productId', 'quantity', 'expectedPriceUsdt'], { minLength: 2 }),
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom('productId', 'expectedPriceUsdt', 'product', ''), { maxLength: 4 }),
  },
);
const anyBody = names.chain((all) => fc.tuple(...all.map(member))).map((members) => `{${members.join(',')}}`);
const damagedBody = fc
  .tuple(anyBody, fc.nat(), fc.constantFrom('', ',', '{', '"', '\\', '1', '\u00a0'))
  .map(([text, at, insert]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + insert + text.slice(place + 1);
  });

test('what is read is what the parser and the schema make of it', () => {
  let read = 0;
  const check = (text: string) => {
    const bytes = Buffer.from(text);
    const body = plain.read(bytes);
    if (body === undefined) return;
    read += 1;
    assert.deepEqual(parseJson(bytes, bytes.length, validate), { body });
  };
  ODD.forEach(check);
  fc.assert(fc.property(fc.oneof(anyBody, damagedBody), check), { numRuns: 2_000 });
  // About 225 of 2,000 are plain, give or take 14.
  assert.ok(read > 100, `only ${read} were read`);
});

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
  priceRule: fc.constant(null),
  priceListId: fc.constant(null),
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
      const purchaseText = purchaseHead(order, requestId);
      assert.equal(orderJson(purchaseText, delivery), JSON.stringify(purchase));
      const { items } = delivery ?? {};
      if (items !== undefined) {
        assert.equal(Array.from(orderParts(purchaseText, items)).join(''), JSON.stringify(purchase));
      }
      assert.equal(
        orderJson(orderHead(order, requestId), delivery),
        JSON.stringify({ ...head(order), requestId, delivery }),
      );
    }),
    { numRuns: 500 },
  );
});
