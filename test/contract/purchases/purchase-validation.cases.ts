/**
 * SPEC.md §4: what POST /orders refuses before it looks at anything, and what it takes although it looks odd.
 *
 * The cases share one product at 3.50 and one buyer, whose balance is looked at after each table: a refusal that charges
 * is worse than none.
 */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { RequestHeaders } from '../../support/buyer-client.ts';
import { assertRefusal, assertSuccess } from '../reply-assertions.ts';
import { type Buyer, casesOf, freshIdempotencyKey } from '../scene.ts';

/** `ID` stands for the id of the product. */
const badBodies: readonly (readonly [why: string, body: string])[] = [
  ['no body', ''],
  ['text that isn’t JSON', 'productId=1'],
  ['JSON cut short', '{"productId":ID,"expectedPriceUsdt":3.5'],
  ['an array', '[{"productId":ID,"expectedPriceUsdt":3.5}]'],
  ['null', 'null'],
  ['a string', '"buy"'],
  ['an empty object', '{}'],
  ['an array nested too deep to be a purchase', '['.repeat(60_000)],
  ['no productId', '{"expectedPriceUsdt":3.5}'],
  ['productId null', '{"productId":null,"expectedPriceUsdt":3.5}'],
  ['productId a string', '{"productId":"ID","expectedPriceUsdt":3.5}'],
  ['productId a fraction', '{"productId":ID.5,"expectedPriceUsdt":3.5}'],
  ['a field name in the wrong case', '{"productid":ID,"expectedPriceUsdt":3.5}'],
  ['expectedPriceUsdt a string', '{"productId":ID,"expectedPriceUsdt":"3.5"}'],
  ['expectedPriceUsdt barely negative', '{"productId":ID,"expectedPriceUsdt":-0.01}'],
  ['quantity 0', '{"productId":ID,"quantity":0,"expectedPriceUsdt":0}'],
  ['quantity -0', '{"productId":ID,"quantity":-0,"expectedPriceUsdt":0}'],
  ['quantity negative', '{"productId":ID,"quantity":-1,"expectedPriceUsdt":3.5}'],
  ['quantity barely a fraction', '{"productId":ID,"quantity":1.0000000001,"expectedPriceUsdt":3.5}'],
  ['quantity null', '{"productId":ID,"quantity":null,"expectedPriceUsdt":3.5}'],
];

const badHeaders: readonly (readonly [why: string, headers: RequestHeaders])[] = [
  ['no Idempotency-Key', { 'idempotency-key': undefined }],
  ['an Idempotency-Key of spaces', { 'idempotency-key': '   ' }],
  ['an Idempotency-Key of 129 characters', { 'idempotency-key': 'k'.repeat(129) }],
  ['no Content-Type', { 'content-type': undefined }],
  ['Content-Type text/plain', { 'content-type': 'text/plain' }],
  ['Content-Type of a form', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['Content-Type that only starts like JSON', { 'content-type': 'application/jsonp' }],
  ['Content-Encoding gzip', { 'content-encoding': 'gzip' }],
];

const goodHeaders: readonly (readonly [why: string, headers: RequestHeaders])[] = [
  ['an Idempotency-Key of 1 character', { 'idempotency-key': '1' }],
  ['an Idempotency-Key of 128 characters', { 'idempotency-key': 'k'.repeat(128) }],
  ['an Idempotency-Key with slashes, spaces and quotes', { 'idempotency-key': 'a/b c"d\'e\\f:{}' }],
  ['an Idempotency-Key that names a property of every object', { 'idempotency-key': '__proto__' }],
  ['Content-Type with a charset', { 'content-type': 'application/json; charset=utf-8' }],
  ['Content-Type in capitals', { 'content-type': 'APPLICATION/JSON' }],
  ['Content-Encoding identity', { 'content-encoding': 'identity' }],
];

const goodBodies: readonly (readonly [why: string, body: string])[] = [
  ['white space around', ' \r\n\t{ "productId" : ID , "expectedPriceUsdt" : 3.5 }\n'],
  ['a byte order mark before it', '\ufeff{"productId":ID,"expectedPriceUsdt":3.5}'],
  ['escapes in names', '{"product\\u0049d":ID,"expectedPriceUsdt":3.5}'],
];

const recipients: readonly (readonly [why: string, recipient: string, accepted: boolean])[] = [
  ['none', '', false],
  ['a string', ',"recipient":"@some_one"', false],
  ['a number as its name', ',"recipient":{"username":12345678}', false],
  ['no @', ',"recipient":{"username":"some_one"}', false],
  ['too short', ',"recipient":{"username":"@abc"}', false],
  ['too long', `,"recipient":{"username":"@${'a'.repeat(33)}"}`, false],
  ['a letter outside ASCII', ',"recipient":{"username":"@sömeone"}', false],
  ['a line break after it', ',"recipient":{"username":"@some_one\\n"}', false],
  ['letters, digits and _', ',"recipient":{"username":"@Some_one_123"}', true],
];

export const purchaseValidation = casesOf('what POST /orders takes', (scene) => {
  let buyer: Buyer;
  let productId: number;
  before(async () => {
    buyer = await scene.buyer({ balanceUsdt: 1000 });
    productId = await scene.product({ stock: 100 });
  });

  function post(body: string | Uint8Array, headers: RequestHeaders = {}) {
    const defaults = {
      'x-api-key': buyer.apiKey,
      'idempotency-key': freshIdempotencyKey(),
      'content-type': 'application/json',
    };
    const sent = typeof body === 'string' ? body.replaceAll('ID', String(productId)) : body;
    return scene.buyers.raw('POST', '/orders', { ...defaults, ...headers }, sent);
  }

  async function assertFree(action: () => Promise<void>): Promise<void> {
    const balanceUsdt = await scene.balanceUsdt(buyer);
    const available = await scene.available(productId);
    await action();
    assert.equal(await scene.balanceUsdt(buyer), balanceUsdt, 'something was charged');
    assert.equal(await scene.available(productId), available, 'something was taken');
  }

  test('§4 400 for a bad body', () =>
    assertFree(async () => {
      for (const [why, body] of badBodies) {
        const { status, text } = await post(body);
        assert.equal(status, 400, `${why}: ${text}`);
      }
      const notUtf8 = Buffer.from(
        `{"productId":${productId},"expectedPriceUsdt":3.5,"note":"\xff"}`,
        'latin1',
      );
      assertRefusal(await post(notUtf8), 400, 'BAD_REQUEST');
    }));

  test('§4 400 for bad headers', () =>
    assertFree(async () => {
      for (const [why, headers] of badHeaders) {
        const { status, text } = await post('{"productId":ID,"expectedPriceUsdt":3.5}', headers);
        assert.equal(status, 400, `${why}: ${text}`);
      }
    }));

  test('§4 201 for odd headers and bodies that are all right', async () => {
    for (const [why, headers] of goodHeaders) {
      assert.equal((await post('{"productId":ID,"expectedPriceUsdt":3.5}', headers)).status, 201, why);
    }
    for (const [why, body] of goodBodies) assert.equal((await post(body)).status, 201, why);
  });

  test('§4 400 for a product that needs a recipient, without one that can be', async () => {
    const needsRecipient = await scene.product({ requiresRecipient: true, stock: 1 });
    for (const [why, recipient, accepted] of recipients) {
      const reply = await post(`{"productId":${needsRecipient},"expectedPriceUsdt":3.5${recipient}}`);
      assert.equal(reply.status, accepted ? 201 : 400, why);
    }
    assert.equal(await scene.available(needsRecipient), 0);
  });

  test('§8 a body of 65,536 bytes is taken, one of 65,537 is 400', () =>
    assertFree(async () => {
      const body = `{"productId":${productId},"expectedPriceUsdt":99}`;
      assertRefusal(await post(body.padEnd(65_536)), 409, 'PRICE_CHANGED');
      assertRefusal(await post(body.padEnd(65_537)), 400, 'BAD_REQUEST');
      assertRefusal(await post(body.padEnd(200_000)), 400, 'BAD_REQUEST');
      assertSuccess(await scene.buyers.balance(buyer.apiKey), 200);
    }));

  test('§8 the size is counted in bytes, also when it isn’t announced', () =>
    assertFree(async () => {
      const chunked = { 'transfer-encoding': 'chunked' };
      const body = `{"productId":${productId},"expectedPriceUsdt":99,"note":"${'é'.repeat(20_000)}"}`;
      const fits = body + ' '.repeat(65_536 - Buffer.byteLength(body));
      assertRefusal(await post(fits, chunked), 409, 'PRICE_CHANGED');
      assertRefusal(await post(`${fits} `, chunked), 400, 'BAD_REQUEST');
    }));

  test('§4 a refused request doesn’t use up its key', async () => {
    const key = { 'idempotency-key': freshIdempotencyKey() };
    assertRefusal(await post('{"productId":ID}', key), 400, 'BAD_REQUEST');
    assertRefusal(await post('nonsense', key), 400, 'BAD_REQUEST');
    assertSuccess(await post('{"productId":ID,"expectedPriceUsdt":3.5}', key), 201);
  });
});
