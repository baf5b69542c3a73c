/**
 * How many purchases may wait for suppliers, or be open there: each has a socket, or a row, and nothing is unbounded.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../src/engine/apply.ts';
import type { Command } from '../../src/engine/command.ts';
import { decide } from '../../src/engine/decide.ts';
import { noHistory } from '../../src/engine/history.ts';
import {
  MAX_HELD_PER_SUPPLIER,
  MAX_HELD_SUPPLIER_PURCHASES,
  MAX_SUPPLIER_PURCHASES,
} from '../../src/engine/limits.ts';
import { Rejection } from '../../src/engine/rejection.ts';
import type { State } from '../../src/engine/state.ts';
import type { SupplierPurchase } from '../../src/engine/supplier-purchases.ts';
import { NOW_MS, PRODUCT, placeOrder, worldState } from './commands.ts';

const SUPPLIERS = 3;

/** Product n is supplier n's. */
function shop(): State {
  const state = worldState({ accounts: 1, products: 0, balanceMicros: 9e14, stock: 0 });
  for (let supplierId = 1; supplierId <= SUPPLIERS; supplierId += 1) {
    const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
    execute(state, { kind: 'CreateSupplier', profile });
    execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, source: { supplierId, sku: 'x' } } });
  }
  return state;
}

function execute(state: State, command: Command): unknown {
  const decision = decide(state, noHistory, command, NOW_MS);
  if ('atMs' in decision) apply(state, decision);
  return decision;
}

function buy(state: State, productId: number, count: number): unknown {
  let last: unknown;
  for (let number = 0; number < count; number += 1) {
    const idempotencyKey = `${productId}-${state.lastSupplierPurchaseId}`;
    last = execute(state, placeOrder({ productId, idempotencyKey }));
  }
  return last;
}

function assertRefused(result: unknown): void {
  assert.ok(result instanceof Rejection);
  assert.equal(result.code, 'RATE_LIMITED');
}

test('one supplier may keep so many waiting, all together twice as many; one more is refused and nothing held', () => {
  const state = shop();
  buy(state, 1, MAX_HELD_PER_SUPPLIER);
  assert.equal(state.supplierPurchases.heldCountOf(1), MAX_HELD_PER_SUPPLIER);
  const walletMicros = state.accounts.get(1)?.walletMicros;
  assertRefused(buy(state, 1, 1));
  assert.equal(state.accounts.get(1)?.walletMicros, walletMicros);
  buy(state, 2, MAX_HELD_SUPPLIER_PURCHASES - MAX_HELD_PER_SUPPLIER);
  assertRefused(buy(state, 3, 1));
});

for (const [how, end] of [
  ['captured', { kind: 'CaptureHold' }],
  ['released', { kind: 'ReleaseHold', code: 'PROVIDER_TIMEOUT', isUnresolved: true }],
] as const) {
  test(`a hold that is ${how} makes room, and the same key gets through`, () => {
    const state = shop();
    buy(state, 1, MAX_HELD_PER_SUPPLIER);
    const refused = placeOrder({ productId: 1, idempotencyKey: 'patient' });
    assertRefused(execute(state, refused));
    execute(state, { ...end, accountId: 1, productId: 1, supplierPurchaseId: 7 });
    assert.equal(state.supplierPurchases.heldCount, MAX_HELD_PER_SUPPLIER - 1);
    execute(state, refused);
    assert.ok(state.supplierPurchases.heldBy(1, 'patient'));
  });
}

/**
 * Purchases that the supplier says nothing of, until one is refused. Says how many are open. Most of `expected` are put
 * into the table as they are, for a command for each would take seconds.
 */
function fill(state: State, supplierId: number, expected: number): number {
  let row: SupplierPurchase | undefined;
  for (;;) {
    const last = buy(state, supplierId, 1);
    if (last instanceof Rejection) break;
    const supplierPurchaseId = state.lastSupplierPurchaseId;
    const release = { code: 'PROVIDER_TIMEOUT', isUnresolved: true } as const;
    execute(state, {
      kind: 'ReleaseHold',
      accountId: 1,
      productId: supplierId,
      supplierPurchaseId,
      ...release,
    });
    if (row !== undefined) continue;
    row = state.supplierPurchases.get(supplierPurchaseId) ?? assert.fail();
    while (state.supplierPurchases.openCountOf(supplierId) < expected - 1_000) {
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
  execute(state, {
    kind: 'ReconcileSupplierPurchase',
    accountId: 1,
    productId: 1,
    supplierPurchaseId: 1,
    ...end,
  });
  assert.ok('atMs' in (buy(state, 1, 1) as object), 'what was given up makes room');
  assert.equal(fill(state, 2, MAX_SUPPLIER_PURCHASES / 4), MAX_SUPPLIER_PURCHASES / 4);
  assertRefused(buy(state, 1, 1));
  assert.ok('atMs' in (buy(state, 3, 1_000) as object), 'a supplier that is well');
  assert.equal(state.supplierPurchases.size, (MAX_SUPPLIER_PURCHASES / 4) * 3 + 1_000);
});
