/**
 * How many purchases may wait for suppliers, or be open there: each has a socket, or a row, and nothing is unbounded.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../../src/engine/apply/apply.ts';
import type { Command } from '../../../src/engine/decide/command.ts';
import { decide } from '../../../src/engine/decide/decide.ts';
import { noHistory } from '../../../src/engine/decide/history.ts';
import {
  MAX_HELD_PER_SUPPLIER,
  MAX_HELD_SUPPLIER_PURCHASES,
  MAX_SUPPLIER_PURCHASES,
} from '../../../src/engine/limits.ts';
import type { State } from '../../../src/engine/state.ts';
import { codeOf, NOW_MS, PRODUCT, placeOrder, worldState } from '../commands.ts';

const SUPPLIERS = 3;

/** Product n is supplier n's. */
function shop(): State {
  const state = worldState({ accounts: 1, products: 0, balanceMicros: 9e14, stock: 0 });
  for (let supplierId = 1; supplierId <= SUPPLIERS; supplierId += 1) {
    const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
    execute(state, { kind: 'CreateSupplier', profile });
    execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, sources: [{ supplierId, sku: 'x' }] } });
  }
  return state;
}

/** Without a look at all that must hold, which would take long for thousands. Says `done`, or why not. */
function execute(state: State, command: Command): string {
  const decision = decide(state, noHistory, command, NOW_MS);
  if ('atMs' in decision) apply(state, decision);
  return codeOf(decision);
}

/** Buys, and gives the result of the last purchase. */
function buy(state: State, productId: number, count = 1): string {
  let last = '';
  for (let number = 0; number < count; number += 1) {
    const idempotencyKey = `${productId}-${state.lastSupplierPurchaseId}`;
    last = execute(state, placeOrder({ productId, idempotencyKey }));
  }
  return last;
}

const SILENCE = { kind: 'ReleaseHold', accountId: 1, code: 'PROVIDER_TIMEOUT', isUnresolved: true } as const;

test('one supplier may keep so many waiting, all together twice as many; one more is refused and nothing held', () => {
  const state = shop();
  buy(state, 1, MAX_HELD_PER_SUPPLIER);
  const ends = [{ kind: 'CaptureHold', accountId: 1 } as const, SILENCE];
  for (const [index, end] of ends.entries()) {
    assert.equal(state.supplierPurchases.heldCountOf(1), MAX_HELD_PER_SUPPLIER);
    const walletMicros = state.accounts.get(1)?.walletMicros;
    const refused = placeOrder({ productId: 1, idempotencyKey: `patient ${index}` });
    assert.equal(execute(state, refused), 'RATE_LIMITED');
    assert.equal(state.accounts.get(1)?.walletMicros, walletMicros);
    execute(state, { ...end, productId: 1, supplierPurchaseId: 7 + index });
    execute(state, refused);
    assert.ok(state.supplierPurchases.heldBy(1, `patient ${index}`), 'there is room, and the key was free');
  }
  buy(state, 2, MAX_HELD_SUPPLIER_PURCHASES - MAX_HELD_PER_SUPPLIER);
  assert.equal(buy(state, 3), 'RATE_LIMITED');
});

/**
 * Purchases that the supplier says nothing of, until one is refused. Says how many are open. Most of `expected` are put
 * into the table as they are, for a command for each would take seconds.
 */
function fill(state: State, supplierId: number, expected: number): number {
  while (buy(state, supplierId) === 'done') {
    const { lastSupplierPurchaseId: supplierPurchaseId } = state;
    execute(state, { ...SILENCE, productId: supplierId, supplierPurchaseId });
    const row = state.supplierPurchases.get(supplierPurchaseId) ?? assert.fail();
    while (state.supplierPurchases.openCountOf(supplierId) < expected - 10) {
      state.lastSupplierPurchaseId += 1;
      state.supplierPurchases.set({ ...row, supplierPurchaseId: state.lastSupplierPurchaseId });
    }
  }
  return state.supplierPurchases.openCountOf(supplierId);
}

test('suppliers that leave everything open fill half of the room that is left, and others find room', () => {
  const state = shop();
  assert.equal(fill(state, 1, MAX_SUPPLIER_PURCHASES / 2), MAX_SUPPLIER_PURCHASES / 2);
  const end = { result: 'given-up', delivered: 0, firstItem: 0, count: 0 } as const;
  const first = { accountId: 1, productId: 1, supplierPurchaseId: 1 };
  execute(state, { kind: 'ReconcileSupplierPurchase', ...first, ...end });
  assert.equal(buy(state, 1), 'done', 'what was given up makes room');
  assert.equal(fill(state, 2, MAX_SUPPLIER_PURCHASES / 4), MAX_SUPPLIER_PURCHASES / 4);
  assert.equal(buy(state, 1), 'RATE_LIMITED');
  assert.equal(buy(state, 3, 100), 'done', 'a supplier that is well');
});
