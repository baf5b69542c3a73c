/** Texts that were compared before a lot was recalled are not put on sale after it, whoever brings them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { apply } from '../../src/engine/apply.ts';
import type { Command } from '../../src/engine/command.ts';
import { answer, decide } from '../../src/engine/decide.ts';
import { noHistory } from '../../src/engine/history.ts';
import { brokenInvariants } from '../../src/engine/invariants.ts';
import { Rejection } from '../../src/engine/rejection.ts';
import type { State } from '../../src/engine/state.ts';
import { NOW_MS, PRODUCT, placeOrder, worldState } from './commands.ts';

function execute(state: State, command: Command): unknown {
  const decision = decide(state, noHistory, command, NOW_MS);
  if ('atMs' in decision) apply(state, decision);
  assert.deepEqual(brokenInvariants(state), []);
  return answer(state, decision);
}

/** Product 1 is a supplier's, has lots of 3 and of 2 items, and an unresolved purchase of more than it has. */
function shop(): State {
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
  return state;
}

const NEW_ITEMS = { productId: 1, firstItem: 5, count: 2 };
const LATE = { accountId: 1, supplierPurchaseId: 1, result: 'delivered', delivered: 2 } as const;

const bringers: [who: string, command: (recalledItems: number) => Command][] = [
  ['an upload', (recalledItems) => ({ kind: 'AddStock', ...NEW_ITEMS, recalledItems })],
  [
    'late items of a supplier',
    (recalledItems) => ({ kind: 'ReconcileSupplierPurchase', ...NEW_ITEMS, ...LATE, recalledItems }),
  ],
];
describe('items that come', () => {
  for (const [who, command] of bringers) {
    test(`by ${who} enter stock, unless a lot was recalled since they were compared`, () => {
      const state = shop();
      execute(state, { kind: 'RecallLot', lotId: 1 });
      const refused = execute(state, command(0));
      assert.ok(refused instanceof Rejection);
      assert.match(refused.message, /A lot was recalled meanwhile/);
      assert.equal(state.stock.available(1), 2);
      assert.equal(state.supplierPurchases.get(1)?.phase, 'unresolved');
      assert.equal(execute(state, command(3)) instanceof Rejection, false);
      assert.equal(state.stock.available(1), 4);
    });
  }
});
