/** Texts that were compared before a lot was recalled are not put on sale after it, whoever brings them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../src/engine/command.ts';
import { Rejection } from '../../src/engine/rejection.ts';
import { codeOf, execute, PRODUCT, placeOrder, worldState } from './commands.ts';

const NEW_ITEMS = { productId: 1, firstItem: 5, count: 2 };
const LATE = { accountId: 1, supplierPurchaseId: 1, result: 'delivered', delivered: 2 } as const;

const bringers: [who: string, command: (recalledItems: number) => Command][] = [
  ['an upload', (recalledItems) => ({ kind: 'AddStock', ...NEW_ITEMS, recalledItems })],
  [
    'late items of a supplier',
    (recalledItems) => ({ kind: 'ReconcileSupplierPurchase', ...NEW_ITEMS, ...LATE, recalledItems }),
  ],
];
for (const [who, command] of bringers) {
  test(`items that come by ${who} enter stock, unless a lot was recalled since they were compared`, () => {
    const state = worldState({ accounts: 1, products: 0, balanceMicros: 9e9, stock: 0 });
    const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
    execute(state, { kind: 'CreateSupplier', profile });
    const source = { supplierId: 1, sku: 'x' };
    execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, source } });
    execute(state, placeOrder({ productId: 1 }));
    const ids = { accountId: 1, productId: 1, supplierPurchaseId: 1 };
    execute(state, { kind: 'ReleaseHold', ...ids, code: 'PROVIDER_TIMEOUT', isUnresolved: true });
    execute(state, { kind: 'AddStock', productId: 1, firstItem: 0, count: 3 });
    execute(state, { kind: 'AddStock', productId: 1, firstItem: 3, count: 2 });

    execute(state, { kind: 'RecallLot', lotId: 1 });
    const refused = execute(state, command(0));
    assert.ok(refused instanceof Rejection);
    assert.match(refused.message, /A lot was recalled meanwhile/);
    assert.equal(state.stock.available(1), 2);
    assert.equal(state.supplierPurchases.get(1)?.phase, 'unresolved');
    assert.equal(codeOf(execute(state, command(3))), 'done');
    assert.equal(state.stock.available(1), 4);
  });
}
