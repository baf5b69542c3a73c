/** Common rules of every body of the operator API: nothing in it is lost, and nothing is changed in silence. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { casesOf } from '../scene.ts';

/** Paths say A for an account, P for a product. The body is one that is taken; `text` is a field of it that is one. */
const calls: readonly (readonly [method: string, path: string, body: object, text?: string])[] = [
  ['POST', '/accounts', { name: 'Someone' }, 'name'],
  ['PATCH', '/accounts/A', { name: 'Someone else' }, 'name'],
  ['POST', '/accounts/A/key', { scopes: ['catalog:read'] }],
  ['POST', '/accounts/A/credits', { amountUsdt: 1, reference: 'invoice' }, 'reference'],
  ['POST', '/products', { name: 'Code', priceUsdt: 1 }, 'name'],
  ['PATCH', '/products/P', { description: 'b' }, 'description'],
  ['POST', '/products/P/stock', { items: ['body a', 'body b'] }, 'items.1'],
];

/** Each with what the answer must name. */
const unknownFields: readonly (readonly [field: string, named: string])[] = [
  ['"pricetiers":[]', 'pricetiers'],
  ['" name":"x"', ' name'],
  ['"__proto__":{}', '__proto__'],
  ['"constructor":1', 'constructor'],
  ['"":1', '""'],
];
const loneSurrogates = ['\ud800', 'a\udfffb', '\udc00\ud800', '😀\ud83d'];

const json = { 'content-type': 'application/json' };
/** Sent to calls that say all in their path. The account has no webhook, which is what they answer to a body that is taken. */
const emptyBodies: readonly (readonly [Readonly<Record<string, string>>, string | undefined, 400 | 404])[] = [
  [{}, undefined, 404],
  [json, undefined, 404],
  [{ 'content-type': 'text/plain' }, '', 404],
  [{ 'content-encoding': 'gzip' }, '', 404],
  [json, '{}', 404],
  [json, '{"since":0}', 400],
  [json, '[]', 400],
  [json, 'null', 400],
  [json, ' ', 400],
  [{}, '{}', 400],
  [{ ...json, 'content-encoding': 'gzip' }, '{}', 400],
];

export const bodies = casesOf('operator API: bodies', (scene) => {
  test('a field that isn’t known, or half a character in a text, is 400, is named, and nothing is done', async () => {
    const { accountId } = await scene.buyer();
    const productId = await scene.product();
    const shown = async () => {
      const read = async (path: string) => {
        const { text, body } = await scene.operator.json('GET', path);
        return text.replace(body.requestId, '');
      };
      return [await read(`/accounts/${accountId}`), await read(`/products/${productId}`)];
    };
    for (const [method, path, body, field] of calls) {
      const at = path.replace('A', String(accountId)).replace('P', String(productId));
      const before = await shown();
      const inside = JSON.stringify(body).slice(1, -1);
      const bad: (readonly [text: string, named: string])[] = unknownFields.flatMap(([unknown, named]) => [
        [`{${inside},${unknown}}`, named],
        [`{${unknown},${inside}}`, named],
      ]);
      if (field !== undefined) {
        for (const half of loneSurrogates) {
          const text = inside.replace(/"[^"]+"(\]?)$/, `${JSON.stringify(half)}$1`);
          const first = inside.replace(/^("name":)"[^"]+"/, `$1${JSON.stringify(half)}`);
          bad.push([`{${field === 'name' ? first : text}}`, `${field} is not valid Unicode.`]);
        }
      }
      for (const [text, named] of bad) {
        const reply = await scene.operator.request(method, at, json, text);
        assertRefused(reply, 400, 'BAD_REQUEST');
        assert.ok(reply.body.message?.includes(named), `${method} ${path} ${text}: ${reply.text}`);
      }
      assert.deepEqual(await shown(), before);
      assertDone(await scene.operator.json(method, at, body), method === 'POST' ? 201 : 200);
    }
    for (const step of ['pay', 'complete', 'fail', 'refund']) {
      const reply = await scene.operator.json('POST', `/orders/999999999/${step}`, { because: 'x' });
      assertRefused(reply, 400, 'BAD_REQUEST');
    }
    const priceTiers = [{ minQuantity: 5, priceUsdt: 1, [`price${'😀'.repeat(10_000)}`]: 1 }];
    const reply = await scene.operator.json('PATCH', `/products/${productId}`, { priceTiers });
    assertRefused(reply, 400, 'BAD_REQUEST');
    assert.match(String(reply.body.message), /^priceTiers\.0 has a field that is not known here, "price/);
    assert.ok(reply.text.length < 1_000, 'however long its name');
    const many = { priceTiers: Array.from({ length: 5_000 }, () => ({ minQuantity: 5, priceUsdt: 1 })) };
    const crowded = await scene.operator.json('PATCH', `/products/${productId}`, many);
    assertRefused(crowded, 400, 'BAD_REQUEST');
    assert.equal(crowded.body.message, 'The body has more values than any valid one.');
    const items = Array.from({ length: 20_000 }, (_, item) => `${productId}-${item}`.padEnd(40, 'x'));
    assertDone(await scene.operator.addStock(productId, items), 201);
    const long = await scene.operator.updateProduct(productId, { description: items.join() });
    assertRefused(long, 400, 'BAD_REQUEST');
    assert.match(String(long.body.message), /at most 262144 bytes/);
    const longest = { description: '😀'.repeat(10_000), instructions: '"'.repeat(10_000) };
    assertDone(await scene.operator.updateProduct(productId, longest), 200);
    const account = await scene.operator.json('POST', '/accounts', { name: '"'.repeat(40_000) });
    assert.match(String(account.body.message), /at most 65536 bytes/);
  });

  test('a long list of texts is taken or refused like a short one', async () => {
    const productId = await scene.product();
    const path = `/products/${productId}/stock`;
    const long = Array.from({ length: 4_000 }, (_, item) => `long-${productId}-${item}`.padEnd(40, '"'));
    const bad = [
      [{ items: [...long, 1] }, 'items.4000 must be string.'],
      [{ items: [...long, 'half \ud800'] }, 'items.4000 is not valid Unicode.'],
      [{ items: long, itmes: [] }, 'has a field that is not known here, "itmes"'],
      [{ items: long, reason: 5 }, 'reason must be string.'],
      [{ items: [...long, ' '] }, '4001 is blank'],
    ] as const;
    for (const [body, named] of bad) {
      const reply = await scene.operator.json('POST', path, body);
      assertRefused(reply, 400, 'BAD_REQUEST');
      assert.ok(reply.body.message?.includes(named), reply.text);
    }
    const cut = await scene.operator.request(
      'POST',
      path,
      json,
      JSON.stringify({ items: long }).slice(0, -1),
    );
    assert.equal(cut.body.message, 'The body must be valid JSON.');
    const key = { ...json, 'idempotency-key': `long-${productId}` };
    const send = (body: object) => scene.operator.request('POST', path, key, JSON.stringify(body));
    const added = await send({ reason: 'long', items: long });
    assertDone(added, 201);
    assert.equal(added.body.added, 4_000);
    const again = await send({ items: long });
    assertDone(again, 200);
    assert.equal(again.body.repeated, true);
    assertRefused(await send({ items: [...long, 'more'] }), 409, 'IDEMPOTENCY_CONFLICT');
  });

  test('a call that says all in its path takes no body, or an empty object', async () => {
    const { accountId } = await scene.buyer();
    for (const path of [`/webhooks/${accountId}/test`, `/webhooks/${accountId}/deliveries/evt_1/replay`]) {
      for (const [headers, text, status] of emptyBodies) {
        const reply = await scene.operator.request('POST', path, headers, text);
        assertRefused(reply, status, status === 400 ? 'BAD_REQUEST' : 'NOT_FOUND');
      }
    }
  });

  test('a character outside the basic plane is kept, escaped or not', async () => {
    for (const text of ['{"name":"\\ud83d\\ude00"}', '{"name":"😀"}']) {
      assert.equal((await scene.operator.request('POST', '/accounts', json, text)).body.name, '😀');
    }
  });
});
