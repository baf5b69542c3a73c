/** A supplier that is silent is left alone for a while, and found again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SupplierCircuits } from '../../src/suppliers/supplier-circuits.ts';
import type { PurchaseAnswer } from '../../src/suppliers/supplier-port.ts';
import { openSupplierPurchase } from '../support/open-supplier-purchase.ts';

function underTest() {
  const scene = { says: { kind: 'timeout' } as PurchaseAnswer, asked: 0, nowMs: 0 };
  const circuits = new SupplierCircuits(
    {
      purchase: () => {
        scene.asked += 1;
        return Promise.resolve(scene.says);
      },
      progress: () => Promise.resolve({ kind: 'pending' }),
    },
    () => scene.nowMs,
  );
  const buy = async (supplierId = 1) =>
    (await circuits.purchase(openSupplierPurchase({ supplierId }), 1)).kind;
  return { scene, circuits, buy };
}

test('after five silences in a row purchases fail at once; then one is let through, and its answer closes it', async () => {
  const { scene, circuits, buy } = underTest();
  for (let count = 0; count < 5; count += 1) assert.equal(await buy(), 'timeout');
  assert.equal(await buy(), 'unreached');
  assert.equal(scene.asked, 5);
  assert.deepEqual([...circuits.openCircuits()], [[1, true]]);
  scene.nowMs = 9_999;
  assert.equal(await buy(), 'unreached');
  scene.nowMs = 10_000;
  assert.deepEqual(await Promise.all([buy(), buy()]), ['timeout', 'unreached']);
  scene.nowMs = 20_000;
  scene.says = { kind: 'out_of_stock' };
  assert.equal(await buy(), 'out_of_stock');
  assert.deepEqual([...circuits.openCircuits()], [[1, false]]);
  assert.equal(await buy(), 'out_of_stock');
  assert.deepEqual(
    [...circuits.counts()],
    [
      [1, 'timeout', 6],
      [1, 'kept_back', 3],
      [1, 'out_of_stock', 2],
    ],
  );
});

test('what answers is alive, whatever it says, and one supplier’s silence is not another’s', async () => {
  const { scene, buy } = underTest();
  for (let round = 0; round < 3; round += 1) {
    scene.says = { kind: 'timeout' };
    for (let count = 0; count < 4; count += 1) assert.equal(await buy(), 'timeout');
    scene.says = { kind: 'failed', why: '500' };
    assert.equal(await buy(), 'failed');
  }
  scene.says = { kind: 'unreached', why: 'ECONNREFUSED' };
  for (let count = 0; count < 6; count += 1) await buy();
  const { asked } = scene;
  await buy(1);
  assert.equal(scene.asked, asked);
  await buy(2);
  assert.equal(scene.asked, asked + 1);
});
