/** What every body of the operator API has in common: nothing in it is lost, and nothing is changed in silence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { casesOf } from '../scene.ts';

type Body = Readonly<Record<string, unknown>>;

/** Paths say A for an account, P for a product. The body is one that is taken. */
const calls: readonly (readonly [method: string, path: string, body: Body])[] = [
  ['POST', '/accounts', { name: 'Someone' }],
  ['PATCH', '/accounts/A', { name: 'Someone else' }],
  ['POST', '/accounts/A/key', { scopes: ['catalog:read'] }],
  ['POST', '/accounts/A/credits', { amountUsdt: 1, reference: 'invoice' }],
  ['POST', '/products', { name: 'Code', priceUsdt: 1 }],
  ['PATCH', '/products/P', { priceTiers: [{ minQuantity: 5, priceUsdt: 1 }] }],
  ['POST', '/products/P/stock', { items: ['a', 'b'] }],
];

/** Calls that say all in their path; A has no webhook, which is what they answer when the body is taken. */
const wordless: readonly string[] = ['/webhooks/A/test', '/webhooks/A/deliveries/evt_1/replay'];

const json = { 'content-type': 'application/json' };
const emptyBodies: readonly (readonly [
  what: string,
  headers: Readonly<Record<string, string>>,
  text: string | undefined,
  status: 400 | 404,
])[] = [
  ['no body', {}, undefined, 404],
  ['no body and a type', json, undefined, 404],
  ['a body of no bytes of any type', { 'content-type': 'text/plain' }, '', 404],
  ['a body of no bytes, compressed', { 'content-encoding': 'gzip' }, '', 404],
  ['an empty object', json, '{}', 404],
  ['a field', json, '{"since":0}', 400],
  ['a list', json, '[]', 400],
  ['null', json, 'null', 400],
  ['a space', json, ' ', 400],
  ['an empty object without a type', {}, '{}', 400],
  ['an empty object, compressed', { ...json, 'content-encoding': 'gzip' }, '{}', 400],
];

/** Each with what the answer must name. */
const unknownFields: readonly (readonly [fields: string, named: string])[] = [
  ['"pricetiers":[]', 'pricetiers'],
  ['"Name":"x"', 'Name'],
  ['" name":"x"', ' name'],
  ['"__proto__":{}', '__proto__'],
  ['"constructor":1', 'constructor'],
  ['"":1', '""'],
];

const loneSurrogates = ['\ud800', 'a\udfffb', '\udc00\ud800', '😀\ud83d'];

/** Every text that a body can hold; `S` is where it stands. */
const texts: readonly (readonly [method: string, path: string, body: Body, field: string])[] = [
  ['POST', '/accounts', { name: 'S' }, 'name'],
  ['PATCH', '/accounts/A', { name: 'S' }, 'name'],
  ['POST', '/accounts/A/credits', { amountUsdt: 1, reference: 'S' }, 'reference'],
  ['POST', '/products', { name: 'S', priceUsdt: 1 }, 'name'],
  ['PATCH', '/products/P', { description: 'S' }, 'description'],
  ['PATCH', '/products/P', { instructions: 'S' }, 'instructions'],
  ['POST', '/products/P/stock', { items: ['a', 'S'] }, 'items.1'],
];

export const bodies = casesOf('operator API: bodies', (scene) => {
  async function place(): Promise<(path: string) => string> {
    const { accountId } = await scene.buyer();
    const productId = await scene.product();
    return (path) => path.replace('A', String(accountId)).replace('P', String(productId));
  }

  async function assertNothingDone(at: (path: string) => string, before: readonly string[]): Promise<void> {
    assert.deepEqual(await shown(at), before);
  }

  /** What could have changed, without the request ids. */
  function shown(at: (path: string) => string): Promise<string[]> {
    const rows = ['/accounts/A', '/products/P'].map(async (path) => {
      const { text, body } = await scene.operator.json('GET', at(path));
      return text.replace(body.requestId, '');
    });
    return Promise.all(rows);
  }

  for (const [method, path, body] of calls) {
    test(`${method} ${path} with a field that isn’t known is 400, names it and does nothing`, async () => {
      const at = await place();
      const before = await shown(at);
      const known = JSON.stringify(body).slice(1, -1);
      for (const [fields, named] of unknownFields) {
        const headers = { 'content-type': 'application/json' };
        for (const text of [`{${known},${fields}}`, `{${fields},${known}}`]) {
          const reply = await scene.operator.request(method, at(path), headers, text);
          assertRefused(reply, 400, 'BAD_REQUEST');
          assert.ok(reply.body.message?.includes(named), reply.text);
        }
      }
      await assertNothingDone(at, before);
      const taken = await scene.operator.json(method, at(path), body);
      assertDone(taken, method === 'POST' ? 201 : 200);
    });
  }

  for (const step of ['pay', 'complete', 'fail', 'refund']) {
    test(`POST /orders/{id}/${step} with one is 400, before anything else`, async () => {
      const reply = await scene.operator.json('POST', `/orders/999999999/${step}`, { because: 'x' });
      assertRefused(reply, 400, 'BAD_REQUEST');
      assert.ok(reply.body.message?.includes('because'), reply.text);
    });
  }

  for (const path of wordless) {
    for (const [what, headers, text, status] of emptyBodies) {
      test(`POST ${path} with ${what} is ${status === 400 ? 'refused' : 'taken'}`, async () => {
        const at = await place();
        const reply = await scene.operator.request('POST', at(path), headers, text);
        assertRefused(reply, status, status === 400 ? 'BAD_REQUEST' : 'NOT_FOUND');
      });
    }
  }

  test('so is one inside a price tier, however long its name', async () => {
    const at = await place();
    const priceTiers = [{ minQuantity: 5, priceUsdt: 1, [`price${'😀'.repeat(10_000)}`]: 1 }];
    const reply = await scene.operator.json('PATCH', at('/products/P'), { priceTiers });
    assertRefused(reply, 400, 'BAD_REQUEST');
    assert.match(String(reply.body.message), /^priceTiers\.0 has a field that is not known here, "price/);
    assert.ok(reply.text.length < 1_000, `an answer of ${reply.text.length} characters`);
  });

  for (const [method, path, body, field] of texts) {
    test(`${method} ${path} with half a character in ${field} is 400 and does nothing`, async () => {
      const at = await place();
      const before = await shown(at);
      for (const half of loneSurrogates) {
        const text = JSON.stringify(body).replace('S', JSON.stringify(half).slice(1, -1));
        const headers = { 'content-type': 'application/json' };
        const reply = await scene.operator.request(method, at(path), headers, text);
        assertRefused(reply, 400, 'BAD_REQUEST');
        assert.equal(reply.body.message, `${field} is not valid Unicode.`);
      }
      await assertNothingDone(at, before);
    });
  }

  test('a character outside the basic plane is kept, escaped or not', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const text of ['{"name":"\\ud83d\\ude00"}', '{"name":"😀"}']) {
      const reply = await scene.operator.request('POST', '/accounts', headers, text);
      assertDone(reply, 201);
      assert.equal(reply.body.name, '😀');
    }
  });
});
