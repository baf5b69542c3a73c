/** ETag and If-Match of products: of two people who edit the same one, the second is told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OperatorReply, ok } from '../../support/operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { casesOf, freshIdempotencyKey, known } from '../scene.ts';

const OTHER = `"${'0'.repeat(64)}"`;

export const productTag = casesOf('operator API: ETag of products', (scene) => {
  const tagOf = ({ headers }: OperatorReply) => known(headers.get('etag') ?? undefined);
  const read = async (productId: number) => tagOf(await scene.operator.getProduct(productId));

  function patch(productId: number, changes: object, ifMatch?: string): Promise<OperatorReply> {
    const headers = {
      'content-type': 'application/json',
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    };
    return scene.operator.request('PATCH', `/products/${productId}`, headers, JSON.stringify(changes));
  }

  test('the second who saves is refused, is told what is there now, and may save then', async () => {
    const productId = await scene.product({ name: 'before' });
    const tag = await read(productId);
    const first = await patch(productId, { name: 'hers', priceUsdt: 4 }, tag);
    assertDone(first, 200);
    assert.notEqual(tagOf(first), tag);
    const second = await patch(productId, { name: 'his' }, tag);
    assertRefused(second, 412, 'CHANGED_MEANWHILE');
    const { product } = JSON.parse(second.text) as { readonly product: Readonly<Record<string, unknown>> };
    assert.deepEqual([product.productId, product.name, product.priceUsdt], [productId, 'hers', 4]);
    assert.equal(tagOf(second), tagOf(first));
    assert.equal((await scene.operator.getProduct(productId)).body.name, 'hers');
    assertDone(await patch(productId, { name: 'his' }, tagOf(second)), 200);
  });

  test('of many who save at once what they made of the same state, one does', async () => {
    const productId = await scene.product();
    const tag = await read(productId);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) => patch(productId, { name: `name ${index}` }, tag)),
    );
    const statuses = replies.map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, ...Array(19).fill(412)]);
    const saved = `name ${statuses.indexOf(200)}`;
    assert.equal((await scene.operator.getProduct(productId)).body.name, saved);
  });

  const changes: [what: string, change: (productId: number) => Promise<unknown>, isOther: boolean][] = [
    ['an upload', (productId) => ok(scene.operator.addStock(productId, ['x', 'y'])), false],
    [
      'a sale',
      async (productId) => {
        const { apiKey } = await scene.buyer();
        const purchase = { productId, expectedPriceUsdt: 3.5 };
        await scene.buyers.purchase(apiKey, freshIdempotencyKey(), purchase);
      },
      false,
    ],
    ['a PATCH that changes nothing', (productId) => ok(patch(productId, { name: 'Gift card' })), false],
    ['lowStock', (productId) => ok(patch(productId, { lowStock: 5 })), true],
    ['a tier', (id) => ok(patch(id, { priceTiers: [{ minQuantity: 5, priceUsdt: 3 }] })), true],
    ['active', (productId) => ok(patch(productId, { active: false })), true],
  ];
  for (const [what, change, isOther] of changes) {
    test(`${what} makes ${isOther ? 'another' : 'no other'} state of it`, async () => {
      const productId = await scene.product({ stock: ['a'] });
      const tag = await read(productId);
      await change(productId);
      assert.equal((await read(productId)) !== tag, isOther);
      assert.equal((await patch(productId, { description: 'new' }, tag)).status, isOther ? 412 : 200);
    });
  }

  test('what is set and taken away again is the state of before', async () => {
    const productId = await scene.product();
    const tag = await read(productId);
    await ok(patch(productId, { lowStock: 5 }));
    assert.equal(tagOf(await patch(productId, { lowStock: null })), tag);
  });

  const headers: [header: (tag: string) => string, status: number][] = [
    [(tag) => `${OTHER}, ${tag}`, 200],
    [() => '*', 200],
    [() => OTHER, 412],
    [(tag) => `W/${tag}`, 412],
    [(tag) => tag.slice(1, -1), 400],
    [() => '', 400],
    [(tag) => `${tag} ${tag}`, 400],
  ];
  for (const [header, status] of headers) {
    test(`If-Match: ${header('"…"') || 'nothing'} is ${status}`, async () => {
      const productId = await scene.product();
      const tag = await read(productId);
      const reply = await patch(productId, { name: 'new' }, header(tag));
      assert.equal(reply.status, status, reply.text);
      assert.equal((await read(productId)) === tag, status !== 200);
    });
  }

  test('If-Match of a product that isn’t there is 404', async () => {
    assertRefused(await patch(999_999_999, { name: 'x' }, OTHER), 404, 'NOT_FOUND');
  });
});
