/** docs/receipts.md: GET /orders/{id}/receipt and GET /receipt-keys. Receipts are read by the code on that page. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { ReceiptClaims } from '../../src/receipts/receipt-claims.ts';
import { ok } from '../support/operator-client.ts';
import { readReceipt } from '../support/receipt.ts';
import { assertRefusal, assertSuccess } from './reply-assertions.ts';
import { type Buyer, casesOf, freshIdempotencyKey, known, type ProductOptions } from './scene.ts';

function sha256(...parts: readonly (string | Uint8Array)[]) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash;
}

/** The hashes that a buyer with the texts computes. */
function hashesOf({ salt }: ReceiptClaims, texts: readonly string[]): string[] {
  return texts.map((text) => sha256(Buffer.from(salt, 'base64url'), text).digest('base64url'));
}

export const receipts = casesOf('receipts', (scene) => {
  async function claimsOf(buyer: Buyer, orderId: number): Promise<ReceiptClaims> {
    const { keys } = (await scene.buyers.raw('GET', '/receipt-keys')).body;
    const reply = await scene.buyers.receipt(buyer.apiKey, orderId);
    assertSuccess(reply, 200);
    return readReceipt(known(reply.body.receipt), known(keys));
  }

  async function bought(product: ProductOptions, wanted: object = {}) {
    const buyer = await scene.buyer();
    const productId = await scene.product(product);
    const key = freshIdempotencyKey();
    const body = { productId, quantity: 2, expectedPriceUsdt: 7, ...wanted };
    const reply = await scene.buyers.purchase(buyer.apiKey, key, body);
    assertSuccess(reply, 201);
    return { buyer, productId, key, order: reply.body, orderId: known(reply.body.orderId) };
  }

  test('it says what was bought, for how much and under which key, with hashes of the items', async () => {
    const recipient = { username: '@some_one' };
    const { buyer, productId, key, order, orderId } = await bought(
      { stock: ['first', 'Zoë ☃'] },
      { recipient },
    );
    const claims = await claimsOf(buyer, orderId);
    const { shop, position, issuedAt, salt, ...plain } = claims;
    const asked = { productId, quantity: 2, expectedPriceUsdt: 7, recipientUsername: '@some_one' };
    assert.deepEqual(plain, {
      ...{ epoch: 1, accountId: buyer.accountId, orderId, status: 'completed', idempotencyKey: key },
      ...{ requestId: order.requestId, createdAt: order.createdAt, ...asked },
      fingerprint: sha256(JSON.stringify(Object.values(asked))).digest('hex'),
      ...{ totalPriceUsdt: 7, balanceAfterUsdt: 93, items: [{ place: 0, firstItem: 0, count: 2 }] },
      itemHashes: hashesOf(claims, ['first', 'Zoë ☃']),
    });
    assert.match(shop, /^[0-9a-f]{32}$/);
    assert.ok(position.seq > 0 && issuedAt >= known(order.createdAt));
    const again = await claimsOf(buyer, orderId);
    assert.notEqual(again.salt, salt);
    assert.ok(again.position.seq >= position.seq);
  });

  test('an order that waits has one without items, one with them when it is delivered by hand, none when it failed', async () => {
    const { buyer, orderId } = await bought({ type: 'manual' });
    const pending = await claimsOf(buyer, orderId);
    assert.deepEqual([pending.status, pending.items, pending.itemHashes], ['pending_delivery', [], []]);
    await ok(scene.operator.moveOrder(orderId, 'complete', { items: ['user: x\npassword: y'] }));
    const delivered = await claimsOf(buyer, orderId);
    assert.deepEqual([delivered.status, delivered.items], ['completed', []]);
    assert.deepEqual(delivered.itemHashes, hashesOf(delivered, ['user: x\npassword: y']));
    assert.ok(delivered.position.seq > pending.position.seq);
    const failed = await bought({ type: 'manual' });
    await ok(scene.operator.moveOrder(failed.orderId, 'fail', {}));
    assertRefusal(await scene.buyers.receipt(failed.buyer.apiKey, failed.orderId), 404, 'NOT_FOUND');
  });

  test('an order from the bot has one once it is paid, and no key in it', async () => {
    const buyer = await scene.buyer();
    const productId = await scene.product({ stock: ['only'] });
    const { orderId = 0 } = await ok(scene.operator.openOrder({ accountId: buyer.accountId, productId }));
    assertRefusal(await scene.buyers.receipt(buyer.apiKey, orderId), 404, 'NOT_FOUND');
    await ok(scene.operator.moveOrder(orderId, 'pay', {}));
    const { idempotencyKey, totalPriceUsdt, balanceAfterUsdt } = await claimsOf(buyer, orderId);
    assert.deepEqual([idempotencyKey, totalPriceUsdt, balanceAfterUsdt], [undefined, 3.5, 96.5]);
  });

  test('what was replaced and refunded since is in it', async () => {
    const { buyer, orderId } = await bought({ stock: ['bad', 'b', 'c', 'd'] });
    await ok(scene.operator.adjustOrder(orderId, 'replace', { items: [0] }, 'dead'));
    await ok(scene.operator.adjustOrder(orderId, 'refund', { items: [1] }, 'late'));
    const claims = await claimsOf(buyer, orderId);
    const places = [
      { place: 0, firstItem: 2, count: 1 },
      { place: 1, firstItem: 1, count: 1 },
    ];
    assert.deepEqual(claims.items, places);
    assert.deepEqual(claims.itemHashes, hashesOf(claims, ['c', 'b']));
    assert.deepEqual(claims.formerItems, [{ item: 0, hash: hashesOf(claims, ['bad'])[0] }]);
    assert.deepEqual([claims.status, claims.refundedUsdt], ['completed', 3.5]);
    await ok(scene.operator.adjustOrder(orderId, 'refund', {}, 'rest'));
    const refunded = await claimsOf(buyer, orderId);
    assert.deepEqual([refunded.status, refunded.refundedUsdt, refunded.totalPriceUsdt], ['refunded', 7, 7]);
  });

  test('others’ orders and orders that don’t exist have none', async () => {
    const { orderId } = await bought({ stock: 2 });
    const stranger = await scene.buyer();
    assertRefusal(await scene.buyers.receipt(stranger.apiKey, orderId), 404, 'NOT_FOUND');
    assertRefusal(await scene.buyers.receipt(stranger.apiKey, 999_999), 404, 'NOT_FOUND');
    assertRefusal(await scene.buyers.receipt(stranger.apiKey, 'x'), 404, 'NOT_FOUND');
    const writer = await scene.freshKey(stranger.accountId, ['orders:write']);
    assertRefusal(await scene.buyers.receipt(writer, orderId), 403, 'FORBIDDEN');
  });

  test('the keys are a JWK set, for anybody, always the same', async () => {
    const read = async () => (await scene.buyers.raw('GET', '/receipt-keys')).body.keys;
    const [key] = known(await read());
    const { x } = known(key);
    const kid = sha256(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x })).digest('base64url');
    assert.deepEqual(key, { kty: 'OKP', crv: 'Ed25519', x, kid, alg: 'EdDSA', use: 'sig' });
    assert.deepEqual(await read(), [key]);
  });
});
