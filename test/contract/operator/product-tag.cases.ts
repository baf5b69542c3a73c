/** ETag and If-Match of products: of two people who edit the same one, the second is told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type OperatorReply, ok } from '../../support/operator-client.ts';
import { assertDone, assertRefused } from '../operator-reply.ts';
import { casesOf, known } from '../scene.ts';

const OTHER = `"${'0'.repeat(64)}"`;

export const productTag = casesOf('operator API: ETag of products', (scene) => {
  const tagOf = ({ headers }: OperatorReply) => known(headers.get('etag') ?? undefined);
  const read = async (productId: number) => tagOf(await scene.operator.getProduct(productId));

  function patch(productId: number, changes: object, ifMatch?: string): Promise<OperatorReply> {
    const condition = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    const headers = { 'content-type': 'application/json', ...condition };
    return scene.operator.request('PATCH', `/products/${productId}`, headers, JSON.stringify(changes));
  }

  test('of many who save at once what they made of the same state one does; others see what is there, and may then', async () => {
    const productId = await scene.product({ stock: 1 });
    const tag = await read(productId);
    await ok(scene.operator.addStock(productId, ['a tagged one']));
    const { apiKey } = await scene.buyer();
    await scene.buy({ apiKey }, productId);
    assert.equal(await read(productId), tag, 'uploads and sales are no change of it');
    const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
    const replies = await Promise.all(names.map((name) => patch(productId, { name }, tag)));
    const statuses = replies.map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, ...Array(19).fill(412)]);
    const saved = names[statuses.indexOf(200)];
    assert.equal((await scene.operator.getProduct(productId)).body.name, saved);
    const refused = await patch(productId, { name: 'his' }, tag);
    assertRefused(refused, 412, 'CHANGED_MEANWHILE');
    const { product } = JSON.parse(refused.text) as { readonly product: Readonly<Record<string, unknown>> };
    assert.deepEqual([product.productId, product.name], [productId, saved]);
    assertDone(await patch(productId, { name: 'his' }, tagOf(refused)), 200);
    assertRefused(await patch(999_999_999, { name: 'x' }, OTHER), 404, 'NOT_FOUND');
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
  test('If-Match is a list of tags, or any', async () => {
    for (const [header, status] of headers) {
      const productId = await scene.product();
      const tag = await read(productId);
      const reply = await patch(productId, { name: 'new' }, header(tag));
      assert.equal(reply.status, status, header(tag));
      assert.equal((await read(productId)) === tag, status !== 200);
    }
  });
});
