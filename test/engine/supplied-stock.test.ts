/** What suppliers say they have, as facts: recorded for the products that it was said of, and for no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../src/engine/apply.ts';
import type { Command, CommandOf } from '../../src/engine/command.ts';
import { decide } from '../../src/engine/decide.ts';
import { noHistory } from '../../src/engine/history.ts';
import { brokenInvariants } from '../../src/engine/invariants.ts';
import { MAX_STOCK_CHANGES } from '../../src/engine/limits.ts';
import { Rejection } from '../../src/engine/rejection.ts';
import { availableStock } from '../../src/engine/stock.ts';
import { NOW_MS, PRODUCT, worldState } from './commands.ts';

/** Of supplier 1 but the last, which has none. */
const PRODUCTS = 3;

function world() {
  const state = worldState({ accounts: 0, products: 0, balanceMicros: 0, stock: 0 });
  const execute = (command: Command): unknown => {
    const decision = decide(state, noHistory, command, NOW_MS);
    if ('atMs' in decision) apply(state, decision);
    assert.deepEqual(brokenInvariants(state), []);
    return decision;
  };
  for (let count = 0; count < 2; count += 1) {
    const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
    execute({ kind: 'CreateSupplier', profile });
  }
  for (let productId = 1; productId <= PRODUCTS; productId += 1) {
    const source = productId === PRODUCTS ? null : { supplierId: 1, sku: `sku ${productId}` };
    execute({ kind: 'CreateProduct', profile: { ...PRODUCT, source } });
  }
  return {
    execute,
    /** The products that were recorded, or the refusal's code. */
    record: (...changes: CommandOf<'RecordSupplierStock'>['changes']): unknown => {
      const decision = execute({ kind: 'RecordSupplierStock', supplierId: 1, changes });
      if (decision instanceof Rejection) return decision.code;
      return (decision as { changes: { productId: number }[] }).changes.map(({ productId }) => productId);
    },
    left: (productId: number) => availableStock(state.stock, state.products.get(productId) ?? assert.fail()),
  };
}

const said = (productId: number, available: number | 'unlimited', sku = `sku ${productId}`) => ({
  productId,
  sku,
  available,
});

test('the catalog has own stock and what the supplier has', () => {
  const { execute, record, left } = world();
  execute({ kind: 'AddStock', productId: 1, firstItem: 0, count: 3 });
  assert.deepEqual(record(said(1, 12), said(2, 'unlimited')), [1, 2]);
  assert.deepEqual([left(1), left(2)], [15, 'unlimited']);
  record(said(1, Number.MAX_SAFE_INTEGER));
  assert.equal(left(1), Number.MAX_SAFE_INTEGER);
});

test('only what is new is recorded, and of products that are still what the supplier was asked for', () => {
  const { execute, record, left } = world();
  record(said(1, 5));
  assert.equal(record(said(1, 5), said(2, 0)), 'NOT_FOUND', 'nothing new');
  assert.deepEqual(record(said(1, 5), said(2, 7)), [2]);
  assert.equal(record(said(1, 6, 'another sku'), said(PRODUCTS, 6), said(99, 6)), 'NOT_FOUND');
  const of2 = { kind: 'RecordSupplierStock', supplierId: 2, changes: [said(1, 6)] } as const;
  assert.ok(execute(of2) instanceof Rejection, 'another supplier');
  const many = Array.from({ length: MAX_STOCK_CHANGES + 1 }, () => said(1, 6));
  assert.equal(record(...many), 'BAD_REQUEST');
  assert.deepEqual([left(1), left(2), left(PRODUCTS)], [5, 7, 0]);
});

test('what the supplier had is dropped with the source, and the fact says so', () => {
  const changes = [
    [{ name: 'New' }, 12],
    [{ active: false }, 12],
    [{ source: { supplierId: 1, sku: 'sku 1' } }, 12],
    [{ source: { supplierId: 1, sku: 'another' } }, 0],
    [{ source: { supplierId: 2, sku: 'sku 1' } }, 0],
    [{ source: null }, 0],
  ] as const;
  for (const [change, expected] of changes) {
    const { execute, record, left } = world();
    record(said(1, 12));
    const fact = execute({ kind: 'UpdateProduct', productId: 1, changes: change }) as object;
    assert.equal(left(1), expected, JSON.stringify(change));
    assert.equal('dropsSuppliedStock' in fact, expected === 0, JSON.stringify(change));
  }
});
