/** The plain bodies of purchases are read as the JSON parser and the schema would; all others are left to them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PlainPurchaseReader } from '../../../src/http/buyer/plain-purchase.ts';
import { compileSchema, parseJson } from '../../../src/http/json-body.ts';
import { PURCHASE_BODY } from '../../../src/http/schemas/order.ts';

const plain = new PlainPurchaseReader();
const validate = compileSchema(PURCHASE_BODY);

/** What a parser could be mistaken about: read rightly, or left to the parser. */
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
  assert.ok(read > 200, `only ${read} were read`);
});
