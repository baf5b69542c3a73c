/**
 * SPEC.md §8: a supplier has 15 s, as nothing else is set; then nothing is charged. The one test that waits so long.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReferenceSupplier } from '../../examples/supplier/reference-supplier.ts';
import { ok } from '../support/operator-client.ts';
import { assertRefusal } from './reply-assertions.ts';
import { freshIdempotencyKey, Scene } from './scene.ts';

test('§8 a supplier that is silent for 15 s is 504, and the hold is released then', {
  timeout: 60_000,
}, async (t) => {
  const scene = new Scene('auto');
  await scene.start();
  t.after(() => scene.stop());
  const supplier = await ReferenceSupplier.start('a secret of the supplier');
  t.after(() => supplier.stop());
  const { url, secret } = supplier;
  const { supplierId = 0 } = await ok(scene.operator.createSupplier({ name: 'Silent', url, secret }));
  const buyer = await scene.buyer();
  const productId = await scene.product({ supplierId, supplierSku: 'silent' });
  const startedMs = performance.now();
  const reply = await scene.buyers.purchase(buyer.apiKey, freshIdempotencyKey(), {
    productId,
    expectedPriceUsdt: 3.5,
  });
  assertRefusal(reply, 504, 'PROVIDER_TIMEOUT');
  assert.ok(performance.now() - startedMs >= 15_000);
  assert.equal(await scene.balanceUsdt(buyer), 100);
});
