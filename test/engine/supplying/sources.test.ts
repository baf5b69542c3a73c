/** Which of a product's sources a purchase is held for, and which one the hold passes on to: one hold, and one end. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { apply } from '../../../src/engine/apply/apply.ts';
import { brokenInvariants } from '../../../src/engine/apply/invariants.ts';
import { moneyChangeOf } from '../../../src/engine/apply/money-change.ts';
import { type Command, PurchaseInProgress } from '../../../src/engine/decide/command.ts';
import { answer, decide } from '../../../src/engine/decide/decide.ts';
import { noHistory } from '../../../src/engine/decide/history.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import { MAX_HELD_PER_SUPPLIER } from '../../../src/engine/limits.ts';
import { profileText } from '../../../src/engine/products.ts';
import type { State } from '../../../src/engine/state.ts';
import { availableStock } from '../../../src/engine/stock.ts';
import type { SupplierPurchase } from '../../../src/engine/supplying/supplier-purchases.ts';
import { codeOf, NOW_MS, PRODUCT, placeOrder, worldState } from '../commands.ts';

const SOURCES = [1, 2, 3].map((supplierId) => ({ supplierId, sku: `sku ${supplierId}` }));
const IDS = { accountId: 1, productId: 1 };

let state: State;
let facts: Fact[];
let open: Set<number>;

beforeEach(() => {
  state = worldState({ accounts: 1, products: 0, balanceMicros: 10_000_000, stock: 0 });
  facts = [];
  open = new Set();
  const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
  for (const _ of SOURCES) does({ kind: 'CreateSupplier', profile });
  does({ kind: 'CreateProduct', profile: { ...PRODUCT, sources: SOURCES } });
});

function does(command: Command): unknown {
  const decision = decide(state, noHistory, command, NOW_MS, undefined, () => open);
  if ('atMs' in decision) {
    apply(state, decision);
    facts.push(decision);
  }
  assert.deepEqual(brokenInvariants(state), []);
  return answer(state, decision);
}

/** The supplier purchase that is being asked for; else the code of what became of the command. */
function held(result: unknown): SupplierPurchase | string {
  return result instanceof PurchaseInProgress ? result.supplierPurchase : codeOf(result);
}

function asked(result: unknown): number | string {
  const purchase = held(result);
  return typeof purchase === 'string' ? purchase : purchase.supplierId;
}

function buy(idempotencyKey = 'key'): unknown {
  return does(placeOrder({ idempotencyKey }));
}

/** The source that was asked last has sold nothing. */
function soldNothing(code: 'OUT_OF_STOCK' | 'PURCHASE_FAILED' = 'OUT_OF_STOCK', mayPass = true): unknown {
  const supplierPurchaseId = state.lastSupplierPurchaseId;
  return does({ kind: 'ReleaseHold', ...IDS, supplierPurchaseId, code, isUnresolved: false, mayPass });
}

function money(): readonly [wallet: number | undefined, held: number | undefined] {
  const { walletMicros, heldMicros } = state.accounts.get(1) ?? {};
  return [walletMicros, heldMicros];
}

describe('a hold', () => {
  test('is for the first source, whose circuit is closed and which has room', () => {
    assert.equal(asked(buy('one')), 1);
    open.add(1);
    assert.equal(asked(buy('two')), 2);
    const row = held(buy('three')) as SupplierPurchase;
    for (let number = state.supplierPurchases.heldCountOf(2); number < MAX_HELD_PER_SUPPLIER; number += 1) {
      state.lastSupplierPurchaseId += 1;
      state.supplierPurchases.set({ ...row, supplierPurchaseId: state.lastSupplierPurchaseId, accountId: 2 });
    }
    const { supplierPurchase } = decide(
      state,
      noHistory,
      placeOrder({ idempotencyKey: 'four' }),
      NOW_MS,
      undefined,
      () => open,
    ) as unknown as { supplierPurchase: SupplierPurchase };
    assert.equal(supplierPurchase.supplierId, 3);
  });

  test('is for the first one when all are kept back', () => {
    for (const { supplierId } of SOURCES) open.add(supplierId);
    assert.equal(asked(buy()), 1);
  });

  test('passes on from one that has sold nothing to the next, and no money moves', () => {
    buy();
    const whileHeld = money();
    const second = held(soldNothing()) as SupplierPurchase;
    const { supplierId, sku, reference, holdReference, totalMicros, idempotencyKey } = second;
    assert.deepEqual([supplierId, sku, totalMicros, idempotencyKey], [2, 'sku 2', 2_000_000, 'key']);
    assert.notEqual(reference, holdReference);
    assert.equal(asked(soldNothing('PURCHASE_FAILED')), 3);
    assert.deepEqual(money(), whileHeld);
    assert.deepEqual(
      [...state.supplierPurchases.values()].map((one) => [
        one.supplierPurchaseId,
        one.phase,
        one.holdReference,
      ]),
      [[3, 'held', holdReference]],
    );
    assert.deepEqual(
      [1, 2].map((id) => state.supplierPurchaseEnds.get(id)?.how),
      ['out_of_stock', 'failed'],
    );
    does({ kind: 'CaptureHold', ...IDS, supplierPurchaseId: 3 });
    assert.deepEqual(money(), [8_000_000, 0]);
    const moved = facts.map(moneyChangeOf).flatMap((change) => (change === undefined ? [] : [change.kind]));
    assert.deepEqual(moved, ['hold', 'capture']);
  });

  test('is released when none is left, under the name that it was placed with', () => {
    buy();
    soldNothing();
    open.add(3);
    assert.equal(soldNothing('PURCHASE_FAILED'), 2, 'the third is kept back');
    assert.deepEqual(money(), [10_000_000, 0]);
    const moved = facts.map(moneyChangeOf).flatMap((change) => (change === undefined ? [] : [change]));
    assert.deepEqual(
      moved.map(({ reference }) => reference),
      [`pur_1_${NOW_MS}`, `pur_1_${NOW_MS}`],
    );
    assert.equal(codeOf(buy()), 'PURCHASE_FAILED', 'as the last one was');
  });

  test('never passes on from one that may have sold, nor without leave', () => {
    buy();
    const doubt = { kind: 'ReleaseHold', ...IDS, supplierPurchaseId: 1, mayPass: true } as const;
    assert.equal(does({ ...doubt, code: 'PROVIDER_TIMEOUT', isUnresolved: true }), 1);
    assert.deepEqual(
      [...state.supplierPurchases.values()].map(({ phase }) => phase),
      ['unresolved'],
    );
    buy('another');
    assert.equal(soldNothing('OUT_OF_STOCK', false), 2);
    buy('promised');
    does({ kind: 'CaptureHold', ...IDS, supplierPurchaseId: 3 });
    assert.equal(codeOf(soldNothing()), 'NOT_FOUND');
  });

  test('goes on behind the source that was asked, as the order is then; one that was taken away ends it', () => {
    buy();
    does({ kind: 'UpdateProduct', productId: 1, changes: { sources: SOURCES.toReversed() } });
    assert.equal(soldNothing(), 1);
    buy('another');
    does({ kind: 'UpdateProduct', productId: 1, changes: { sources: SOURCES.slice(0, 2) } });
    assert.equal(soldNothing(), 2);
  });

  test('of an order from the bot passes on like any other, and the order stays to be paid', () => {
    const opened = { quantity: 1, recipientUsername: null, requestNumber: 0 };
    does({ kind: 'OpenOrder', ...IDS, ...opened });
    const pay = () => does({ kind: 'PayOrder', orderId: 1, expectedPriceUsdt: null });
    assert.equal(asked(pay()), 1);
    const { orderId } = held(soldNothing()) as SupplierPurchase;
    assert.equal(orderId, 1);
    assert.equal(codeOf(pay()), 'TRANSITION_NOT_ALLOWED');
    soldNothing();
    soldNothing();
    assert.equal(asked(pay()), 1);
  });
});

test('a source that had sold nothing may deliver after all: it enters own stock, beside what the next one sold', () => {
  buy();
  soldNothing();
  does({ kind: 'ReleaseHold', ...IDS, supplierPurchaseId: 2, code: 'PROVIDER_TIMEOUT', isUnresolved: true });
  const late = {
    kind: 'ReconcileSupplierPurchase',
    ...IDS,
    result: 'delivered',
    delivered: 1,
    count: 1,
  } as const;
  for (const [firstItem, supplierPurchaseId] of [2, 1].entries())
    does({ ...late, supplierPurchaseId, firstItem });
  assert.equal(codeOf(does({ ...late, supplierPurchaseId: 1, firstItem: 2 })), 'NOT_FOUND');
  assert.equal(state.stock.available(1), 2);
  assert.deepEqual([...state.supplierPurchases.values()], []);
});

test('the stock is that of all sources, and each keeps its figure wherever it stands', () => {
  const product = () => state.products.get(1) ?? assert.fail();
  const say = (supplierId: number, available: number | 'unlimited', sku = `sku ${supplierId}`) =>
    codeOf(does({ kind: 'RecordSupplierStock', supplierId, changes: [{ productId: 1, sku, available }] }));
  const left = () => availableStock(state.stock, product());
  assert.deepEqual([say(1, 3), say(3, 4), left()], ['done', 'done', 7]);
  assert.equal(say(1, 9, 'sku 2'), 'NOT_FOUND');
  const changed = (sources: typeof SOURCES) => {
    does({ kind: 'UpdateProduct', productId: 1, changes: { sources } });
    return [product().sourceStocks, 'dropsSuppliedStock' in (facts.at(-1) ?? {})];
  };
  assert.deepEqual(changed(SOURCES.toReversed()), [[4, 0, 3], false]);
  assert.deepEqual(changed(SOURCES.slice(0, 2)), [[3, 0], true]);
  assert.deepEqual([say(2, 'unlimited'), left()], ['done', 'unlimited']);
});

test('sources are of suppliers that exist, each once, and two orders of them are two profiles', () => {
  const set = (sources: typeof SOURCES) =>
    codeOf(does({ kind: 'UpdateProduct', productId: 1, changes: { sources } }));
  const [first, second] = SOURCES as [(typeof SOURCES)[0], (typeof SOURCES)[0]];
  assert.equal(set([first, second, first]), 'BAD_REQUEST');
  assert.equal(set([first, { supplierId: 9, sku: 'x' }]), 'BAD_REQUEST');
  assert.equal(set([first, { ...first, sku: 'another' }]), 'done');
  const text = (sources: typeof SOURCES) => profileText({ ...PRODUCT, sources });
  assert.notEqual(text([first, second]), text([second, first]));
});
