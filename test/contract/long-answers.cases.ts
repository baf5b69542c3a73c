/** Answers of many texts are made in slices, which changes none of their bytes, and few of them at once for an account. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { ok } from '../support/operator-client.ts';
import { assertSuccess } from './reply-assertions.ts';
import { type Buyer, casesOf, known } from './scene.ts';

/** Ten times what the system takes of an answer that nobody reads. */
const COUNT = 10_000;
const TEXTS = Array.from({ length: COUNT }, (_, n) => `${n} "🎁\u2028`.padEnd(760, 'é'));
const AT_ONCE = 4;

export const longAnswers = casesOf('orders of many items', (scene) => {
  let buyer: Buyer;
  let other: Buyer;
  let productId = 0;
  let orderId = 0;
  const buy = () => scene.buy(buyer, productId, COUNT, COUNT * 0.01, 'many');

  test('a purchase, its repetition, the order and what operators see have the same texts', async () => {
    [buyer, other] = [await scene.buyer(), await scene.buyer()];
    productId = await scene.product({ priceUsdt: 0.01 });
    for (const part of [0, COUNT / 2]) {
      await ok(scene.operator.addStock(productId, TEXTS.slice(part, part + COUNT / 2).join('\n')));
    }
    const bought = await buy();
    assertSuccess(bought, 201);
    orderId = known(bought.body.orderId);
    const repeated = await buy();
    assert.equal(repeated.headers['idempotent-replayed'], 'true');
    const order = await scene.buyers.order(buyer.apiKey, orderId);
    for (const reply of [bought, repeated, order]) {
      assertTexts(reply.body.delivery?.items, TEXTS);
      assert.ok(reply.text === JSON.stringify(reply.body));
    }
    const seen = await scene.operator.getOrder(orderId);
    assertTexts((seen.body.delivery as { items: unknown }).items, TEXTS);
    const withdrawn = await scene.product({ stock: TEXTS.slice(0, 1_000) });
    const { body } = await scene.operator.withdrawStock(withdrawn, 1_000);
    assertTexts(body.items, TEXTS.slice(0, 1_000));
    const page = await scene.operator.json('GET', `/products/${withdrawn}/stock/withdrawn?limit=999`);
    const texts = (page.body.items as unknown as { text: string }[]).map(({ text }) => text);
    assertTexts(texts, TEXTS.slice(1, 1_000).reverse());
    assert.equal(page.body.nextCursor, '1');
  });

  test('HEAD says all but the length', async () => {
    const reply = await scene.buyers.raw('HEAD', `/orders/${orderId}`, { 'x-api-key': buyer.apiKey });
    assert.deepEqual([reply.status, reply.text, reply.headers['content-length']], [200, '', undefined]);
    assert.match(String(reply.headers['x-request-id']), /^req_/);
  });

  test(`whoever doesn’t read ${AT_ONCE} of them gets the next one when he has left one, and others theirs at once`, async () => {
    const { hostname, port, pathname } = new URL(scene.server.buyerUrl);
    const unread = Array.from({ length: AT_ONCE }, () => connect(Number(port), hostname));
    for (const socket of unread) {
      socket.write(
        `GET ${pathname}/orders/${orderId} HTTP/1.1\r\nhost: a\r\nx-api-key: ${buyer.apiKey}\r\n\r\n`,
      );
      await once(socket, 'readable');
    }
    let isAnswered = false;
    const next = buy().finally(() => {
      isAnswered = true;
    });
    const few = await scene.product({ priceUsdt: 0.01, stock: 100 });
    assertSuccess(await scene.buy(other, few, 100, 1), 201);
    assert.equal(isAnswered, false);
    for (const socket of unread) socket.destroy();
    assertTexts((await next).body.delivery?.items, TEXTS);
  });

  test('items that were replaced have their new texts in their places', async () => {
    await scene.operator.addStock(productId, ['new-1', 'new-2']);
    await ok(scene.operator.adjustOrder(orderId, 'replace', { items: [0, COUNT - 1] }, 'k'));
    const { body } = await scene.buyers.order(buyer.apiKey, orderId);
    assertTexts(body.delivery?.items, ['new-1', ...TEXTS.slice(1, -1), 'new-2']);
  });
});

/** Doesn't print them all. */
function assertTexts(actual: unknown, expected: readonly string[]): void {
  assert.ok(isDeepStrictEqual(actual, expected));
}
