/** How what stayed open at suppliers ends: what is done, and in which order. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { SupplierPurchase } from '../../src/engine/supplying/supplier-purchases.ts';
import { StockIntake } from '../../src/persistence/stock/intake/stock-intake.ts';
import { PurchaseEndings, type PurchaseEndingsOptions } from '../../src/suppliers/purchase-endings.ts';
import type { ProgressAnswer } from '../../src/suppliers/supplier-port.ts';
import { openSupplierPurchase } from '../support/open-supplier-purchase.ts';

const promised = openSupplierPurchase({ supplierPurchaseId: 7, phase: 'pending', orderId: 7 });
const unresolved: SupplierPurchase = { ...promised, phase: 'unresolved', cause: 'ORDER_ENDED' };

describe('texts that an attempt to deliver the order has left', () => {
  /** A scene that notes the steps done, in order, to one supplier purchase. */
  function scene(supplierPurchase: SupplierPurchase, canForget = true) {
    const supplierPurchases = new Map([[supplierPurchase.supplierPurchaseId, supplierPurchase]]);
    const done: string[] = [];
    const endings = new PurchaseEndings({
      engine: {
        state: { supplierPurchases, products: new Map() },
        submit: (command: { kind: string }, replyTo: (result: object) => void) => {
          done.push(command.kind);
          supplierPurchases.clear();
          replyTo({});
        },
      },
      fulfilment: {
        macOf: async () => '',
        forget: async (orderId: number) => {
          done.push(`forget ${orderId}`);
          return canForget;
        },
      },
      clock: () => 1e12,
      isServed: () => false,
      onReconciled: () => undefined,
    } as unknown as PurchaseEndingsOptions);
    return { endings, done };
  }

  const ends: [
    how: string,
    supplierPurchase: SupplierPurchase,
    said: ProgressAnswer | 'given up',
    fact: string,
  ][] = [
    ['fails, as promised orders may', promised, { kind: 'failed' }, 'FailOrder'],
    ['failed', unresolved, { kind: 'failed' }, 'ReconcileSupplierPurchase'],
    ['is delivered, blank', unresolved, { kind: 'delivered', items: [' '] }, 'ReconcileSupplierPurchase'],
    ['is given up', unresolved, 'given up', 'ReconcileSupplierPurchase'],
  ];
  for (const [how, supplierPurchase, said, fact] of ends) {
    test(`are forgotten before the supplier purchase ends, which ${how}`, async () => {
      for (const canForget of [true, false]) {
        const { endings, done } = scene(supplierPurchase, canForget);
        const isDone =
          said === 'given up'
            ? (await endings.giveUp(supplierPurchase)) !== undefined
            : (await endings.hear(supplierPurchase, said)) === 'heard';
        assert.equal(isDone, canForget, 'not while its order is being completed');
        assert.deepEqual(done, canForget ? ['forget 7', fact] : ['forget 7']);
      }
    });
  }

  test('are forgotten when it was unknown for ten minutes, though a clock that was ahead made it', async () => {
    const { endings, done } = scene({ ...unresolved, createdAtMs: 2e12 });
    assert.equal(await endings.hear(unresolved, { kind: 'unknown' }, 1e12 - 600_000), 'heard');
    assert.deepEqual(done, []);
    assert.equal(await endings.hear(unresolved, { kind: 'unknown' }, 1e12 - 600_001), 'heard');
    assert.deepEqual(done, ['forget 7', 'ReconcileSupplierPurchase']);
  });

  test('are left alone while the supplier purchase stays open', async () => {
    const { endings, done } = scene(unresolved);
    assert.equal(await endings.hear(unresolved, { kind: 'silent', why: 'it is night' }), 'heard');
    assert.equal(await endings.hear(unresolved, { kind: 'pending' }), 'heard');
    assert.deepEqual(done, []);
  });
});

test('late items that were compared before a recall are asked for again, and nobody is told that they came', async () => {
  const submitted: object[] = [];
  let told = 0;
  const recalled = [0, 2];
  const endings = new PurchaseEndings({
    engine: {
      state: {
        supplierPurchases: new Map([[unresolved.supplierPurchaseId, unresolved]]),
        products: new Map(),
        stock: { lost: () => undefined },
      },
      submit: (command: object, replyTo: (result: object) => void) => {
        submitted.push(command);
        replyTo(submitted.length === 1 ? new Rejection('BAD_REQUEST', 'Recalled meanwhile.') : {});
      },
    },
    fulfilment: { forget: async () => true, macOf: async () => '' },
    stock: {
      beginIntake: async () =>
        new StockIntake(
          {
            begun: Promise.resolve(),
            add: async () => undefined,
            finish: async () => ({ firstItem: 3, added: 1, duplicates: 0 }),
            close: () => undefined,
          },
          recalled.shift() ?? assert.fail(),
          () => true,
        ),
    },
    clock: () => 1e12,
    isServed: () => false,
    onReconciled: () => {
      told += 1;
    },
  } as unknown as PurchaseEndingsOptions);
  const said: ProgressAnswer = { kind: 'delivered', items: ['late'] };
  assert.equal(await endings.hear(unresolved, said), 'later');
  assert.equal(told, 0);
  assert.equal(await endings.hear(unresolved, said), 'heard');
  assert.equal(told, 1);
  assert.deepEqual(
    submitted.map((command) => 'recalledItems' in command && command.recalledItems),
    [0, 2],
  );
});

test('a delivery is to be said again while an operator completes its order, and not once that is done', async () => {
  const supplierPurchases = new Map([[promised.supplierPurchaseId, promised]]);
  const endings = new PurchaseEndings({
    engine: { state: { supplierPurchases, products: new Map() } },
    fulfilment: { deliver: async () => new Rejection('TRANSITION_NOT_ALLOWED') },
    isServed: () => false,
  } as unknown as PurchaseEndingsOptions);
  const items = Array.from({ length: promised.quantity }, (_, item) => `code ${item}`);
  assert.equal(await endings.hear(promised, { kind: 'delivered', items }), 'later');
  const completed = endings.hear(promised, { kind: 'delivered', items });
  supplierPurchases.set(promised.supplierPurchaseId, unresolved);
  assert.equal(await completed, 'heard');
});
