/**
 * The tables of steps, of orders and of purchases at suppliers: each row happens, nothing else does, and the docs have
 * the same. Refusals and their order are tested in purchase-model.test.ts.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { apply } from '../../src/engine/apply/apply.ts';
import { BrokenInvariantError } from '../../src/engine/apply/broken-invariant.ts';
import type { Command } from '../../src/engine/decide/command.ts';
import { decide } from '../../src/engine/decide/decide.ts';
import { noHistory } from '../../src/engine/decide/history.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import { ORDER_STEPS, type Step, SUPPLIER_PURCHASE_STEPS } from '../../src/engine/order-lifecycle.ts';
import { NO_KEY, ORDER_STATUSES, type Order, type OrderStatus } from '../../src/engine/orders.ts';
import { epochBegun } from '../../src/engine/recovery/epoch-begun.ts';
import type { State } from '../../src/engine/state.ts';
import type { SupplierPurchasePhase } from '../../src/engine/supplying/supplier-purchases.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { execute, NOW_MS, PRODUCT, placeOrder, worldState } from './commands.ts';

const ITEMS = 1;
const FILE = 2;
const MANUAL = 3;
const SUPPLIED = 4;

const open = (productId: number): Command => ({
  kind: 'OpenOrder',
  accountId: 1,
  productId,
  quantity: 1,
  recipientUsername: null,
  requestNumber: 0,
});
const PAY: Command = { kind: 'PayOrder', orderId: 1, expectedPriceUsdt: null };
const COMPLETE: Command = { kind: 'CompleteOrder', orderId: 1, textCount: 2, areTextsWritten: true };
const FAIL: Command = { kind: 'FailOrder', orderId: 1 };
const REFUND: Command = { kind: 'RefundOrder', orderId: 1 };
const PART: Command = { kind: 'RefundOrder', orderId: 1, key: 'part', amountMicros: 500_000 };
const REPLACE: Command = { kind: 'ReplaceItems', orderId: 1, key: 'bad', items: [0] };
const OUTSTANDING = {
  orderId: 1,
  epoch: 1,
  position: 1,
  salt: '',
  itemHashes: ['a'],
  missing: [0],
  former: [],
  found: [],
};
const AMEND = {
  kind: 'AmendOrder',
  orderId: 1,
  accountId: 1,
  items: [],
  replaced: [],
  outstanding: OUTSTANDING,
} as const;

const HOLD = placeOrder({ productId: SUPPLIED });
const CAPTURE: Command = { kind: 'CaptureHold', accountId: 1, productId: SUPPLIED, supplierPurchaseId: 1 };

/** Every kind of order in every state, by the commands that lead there. */
const WAYS: readonly (readonly [status: OrderStatus, ...commands: Command[]])[] = [
  ['completed', placeOrder({ productId: ITEMS })],
  ['completed', placeOrder({ productId: FILE })],
  ['pending_delivery', placeOrder({ productId: MANUAL })],
  ['pending_delivery', HOLD, CAPTURE],
  ['completed', HOLD, CAPTURE, { ...COMPLETE, supplierPurchaseId: 1 }],
  ['failed', HOLD, CAPTURE, { ...FAIL, supplierPurchaseId: 1 }],
  ['refunded', HOLD, CAPTURE, REFUND],
  ['completed', placeOrder({ productId: MANUAL }), COMPLETE],
  ['failed', placeOrder({ productId: MANUAL }), FAIL],
  ['refunded', placeOrder({ productId: MANUAL }), REFUND],
  ['refunded', placeOrder({ productId: MANUAL }), COMPLETE, REFUND],
  ['refunded', placeOrder({ productId: ITEMS }), REFUND],
  ['refunded', placeOrder({ productId: FILE }), REFUND],
  ['processing', open(ITEMS)],
  ['processing', open(FILE)],
  ['processing', open(MANUAL)],
  ['failed', open(ITEMS), FAIL],
  ['completed', open(ITEMS), PAY],
  ['completed', open(FILE), PAY],
  ['pending_delivery', open(MANUAL), PAY],
  ['completed', open(MANUAL), PAY, COMPLETE],
  ['refunded', open(ITEMS), PAY, REFUND],
  ['completed', placeOrder({ productId: ITEMS }), PART],
  ['refunded', placeOrder({ productId: ITEMS }), PART, REFUND],
  ['pending_delivery', placeOrder({ productId: MANUAL }), PART],
  ['pending_delivery', HOLD, CAPTURE, PART],
  ['failed', placeOrder({ productId: MANUAL }), PART, FAIL],
  ['completed', placeOrder({ productId: ITEMS }), REPLACE],
];

/** States of an order before a restore, if any, and the ways in which it comes back. */
const RECOVERED: readonly (readonly [before: Command | undefined, recovery: Command])[] = [
  [undefined, recovery(ITEMS, 'key')],
  [undefined, recovery(MANUAL, 'key')],
  [open(ITEMS), recovery(ITEMS, NO_KEY)],
  [open(MANUAL), recovery(MANUAL, NO_KEY)],
];

function recovery(productId: number, idempotencyKey: string): Command {
  const wanted = { ...placeOrder({ productId, idempotencyKey }), kind: 'RecoverOrder' as const };
  const items = productId === ITEMS ? [{ firstItem: 0, count: 1 }] : [];
  const money = { totalMicros: 2_000_000, balanceAfterMicros: 1_000_000 };
  return {
    ...wanted,
    ...money,
    orderId: 1,
    items,
    textCount: items.length,
    fileId: null,
    createdAtMs: NOW_MS,
  };
}

/** Facts of an order from the bot that own stock can't serve. */
const PAID_BY_SUPPLIER = [open(SUPPLIED), PAY, CAPTURE] as const;
const RELEASE: Command = {
  kind: 'ReleaseHold',
  accountId: 1,
  productId: SUPPLIED,
  supplierPurchaseId: 1,
  code: 'PROVIDER_TIMEOUT',
  isUnresolved: true,
};
const NO_STOCK: Command = { ...RELEASE, code: 'OUT_OF_STOCK', isUnresolved: false };
const RECONCILE: Command = {
  kind: 'ReconcileSupplierPurchase',
  accountId: 1,
  productId: SUPPLIED,
  supplierPurchaseId: 1,
  result: 'delivered',
  delivered: 0,
  firstItem: 0,
  count: 1,
};

/** Every way of a purchase at a supplier, to each of its ends. */
const SUPPLIER_PURCHASE_WAYS: readonly (readonly [
  phase: SupplierPurchasePhase | null,
  ...commands: Command[],
])[] = [
  ['held', HOLD],
  ['pending', HOLD, CAPTURE],
  ['unresolved', HOLD, RELEASE],
  [null, HOLD, NO_STOCK],
  [null, HOLD, NO_STOCK, RECONCILE],
  [null, HOLD, { ...NO_STOCK, mayPass: true }],
  [null, HOLD, RELEASE, RECONCILE],
  [null, HOLD, RELEASE, { ...RECONCILE, result: 'given-up', count: 0 }],
  [null, HOLD, CAPTURE, { ...COMPLETE, supplierPurchaseId: 1 }],
  [null, HOLD, CAPTURE, { ...FAIL, supplierPurchaseId: 1 }],
  ['unresolved', HOLD, CAPTURE, COMPLETE],
  ['unresolved', HOLD, CAPTURE, FAIL],
  ['unresolved', HOLD, CAPTURE, REFUND],
  ['pending', HOLD, CAPTURE, PART],
  [null, HOLD, CAPTURE, PART, { ...FAIL, supplierPurchaseId: 1 }],
  ['held', open(SUPPLIED), PAY],
  ['pending', ...PAID_BY_SUPPLIER],
  ['unresolved', open(SUPPLIED), PAY, RELEASE],
  [null, open(SUPPLIED), PAY, NO_STOCK],
];

function shop(): State {
  const state = worldState({ accounts: 1, products: 1, balanceMicros: 10_000_000, stock: 2 });
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, type: 'file' } });
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, type: 'manual' } });
  const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
  execute(state, { kind: 'CreateSupplier', profile });
  const sources = ['x', 'y'].map((sku) => ({ supplierId: 1, sku }));
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, sources } });
  const file = { fileId: 'a'.repeat(32), sizeBytes: 3, contentType: 'text/plain', sha256: 'c'.repeat(64) };
  execute(state, { kind: 'SetProductFile', productId: FILE, file });
  return state;
}

function orderOne(state: State): Order {
  const order = state.orders.get(1);
  assert.ok(order);
  return order;
}

test('an order that became pending behind its completion keeps waiting for its texts', () => {
  const state = shop();
  execute(state, open(MANUAL));
  execute(state, PAY);
  const early: Command = { kind: 'CompleteOrder', orderId: 1, textCount: 2, areTextsWritten: false };
  const refusal = execute(state, early);
  assert.ok(refusal instanceof Rejection);
  assert.equal(refusal.code, 'TRANSITION_NOT_ALLOWED');
  assert.equal(orderOne(state).status, 'pending_delivery');
  execute(state, COMPLETE);
  assert.equal(orderOne(state).status, 'completed');
});

test('every status and every row of the table is reached', () => {
  assert.deepEqual(new Set(WAYS.map(([status]) => status)), new Set(ORDER_STATUSES));
  const rows = new Set<string>();
  for (const [, ...commands] of [...WAYS, ['pending_delivery', ...PAID_BY_SUPPLIER] as const]) {
    const state = shop();
    for (const command of commands) {
      const before = state.orders.get(1)?.status ?? null;
      const decision = decide(state, noHistory, command, NOW_MS);
      assert.ok('atMs' in decision);
      apply(state, decision);
      if ('order' in decision) rows.add(`${before} ${decision.kind} ${orderOne(state).status}`);
    }
  }
  for (const [opened, back] of RECOVERED) {
    const state = shop();
    if (opened !== undefined) execute(state, opened);
    apply(state, epochBegun(state, { epoch: 2, hash: '', isComplete: false, nowMs: NOW_MS }));
    const before = state.orders.get(1)?.status ?? null;
    execute(state, back);
    rows.add(`${before} OrderRecovered ${orderOne(state).status}`);
  }
  for (const [, ...commands] of WAYS) {
    for (const textCount of [0, 2]) {
      const state = shop();
      for (const command of commands) execute(state, command);
      const { status: before, productId } = orderOne(state);
      const result = execute(state, { ...AMEND, productId, textCount });
      if (!(result instanceof Rejection)) rows.add(`${before} OrderAmended ${orderOne(state).status}`);
    }
  }
  assert.deepEqual(rows, rowsOf(ORDER_STEPS));
});

test('every row of the table of purchases at suppliers is reached', () => {
  const rows = new Set<string>();
  for (const [, ...commands] of SUPPLIER_PURCHASE_WAYS) {
    const state = shop();
    for (const command of commands) {
      const phases = () => [1, 2].map((id) => state.supplierPurchases.get(id)?.phase ?? null);
      const before = phases();
      const decision = decide(state, noHistory, command, NOW_MS);
      assert.ok('atMs' in decision);
      apply(state, decision);
      if (decision.kind === 'SupplierPurchaseReconciled') before.pop();
      for (const [place, from] of before.entries()) {
        const to = phases()[place] ?? null;
        const isStep = decision.kind === 'SupplierPurchaseReconciled' || from !== to;
        if (isStep) rows.add(`${from} ${decision.kind} ${to}`);
      }
    }
  }
  assert.deepEqual(rows, rowsOf(SUPPLIER_PURCHASE_STEPS));
});

test('a fact that is no step of the lifecycle stops the process', () => {
  const state = shop();
  execute(state, placeOrder({ productId: MANUAL }));
  execute(state, REFUND);
  const order: Order = { ...orderOne(state), status: 'completed' };
  assert.throws(() => apply(state, { kind: 'OrderDelivered', order, atMs: NOW_MS }), BrokenInvariantError);
});

test('the tables of docs/orders.md have the same steps', () => {
  const page = readFileSync(join(repositoryRoot(), 'docs', 'orders.md'), 'utf8');
  const [orders = '', supplierPurchases = ''] = page.split('\n## What is bought at a supplier\n');
  assert.deepEqual(rowsOfPage(orders), rowsOf(ORDER_STEPS));
  assert.deepEqual(rowsOfPage(supplierPurchases), rowsOf(SUPPLIER_PURCHASE_STEPS));
});

type Steps = Readonly<Record<string, readonly Step<string>[]>>;

function rowsOf(steps: Steps): Set<string> {
  const rows = Object.entries(steps).flatMap(([fact, ways]) =>
    ways.map(([from, to]) => `${from} ${fact} ${to}`),
  );
  return new Set(rows);
}

/** Rows of the page's table, whose columns are named in its first row. */
function rowsOfPage(part: string): Set<string> {
  const [head = [], , ...rows] = part
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const step = (row: readonly string[]) =>
    ['from', 'fact', 'to'].map((column) => {
      const cell = row[head.indexOf(column)] ?? '';
      return cell === '(none)' || cell === '(ended)' ? 'null' : cell.replaceAll('`', '');
    });
  return new Set(rows.map((row) => step(row).join(' ')));
}
