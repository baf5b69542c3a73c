/** The table of an order's steps: what the engine allows, and what the docs say of it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { apply } from '../../src/engine/apply.ts';
import { BrokenInvariantError } from '../../src/engine/broken-invariant.ts';
import { type Command, PurchaseInProgress, type RefundResult } from '../../src/engine/command.ts';
import { answer, decide } from '../../src/engine/decide.ts';
import { epochBegun } from '../../src/engine/epoch-begun.ts';
import { noHistory } from '../../src/engine/history.ts';
import { brokenInvariants } from '../../src/engine/invariants.ts';
import { ORDER_STEPS, type Step, SUPPLIER_PURCHASE_STEPS } from '../../src/engine/order-lifecycle.ts';
import { NO_KEY, ORDER_STATUSES, type Order, type OrderStatus } from '../../src/engine/orders.ts';
import { Rejection } from '../../src/engine/rejection.ts';
import type { State } from '../../src/engine/state.ts';
import type { SupplierPurchasePhase } from '../../src/engine/supplier-purchases.ts';
import { canonicalTables } from '../../src/persistence/state-tables.ts';
import { repositoryRoot } from '../support/repository-root.ts';
import { NOW_MS, PRODUCT, placeOrder, worldState } from './commands.ts';

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
const OWED = {
  orderId: 1,
  epoch: 1,
  position: 1,
  salt: '',
  itemHashes: ['a'],
  missing: [0],
  former: [],
  found: [],
};
const AMEND = { kind: 'AmendOrder', orderId: 1, accountId: 1, items: [], replaced: [], owed: OWED } as const;
const STEPS = [PAY, COMPLETE, FAIL, REFUND];

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

/** What an order was before a restore, if anything, and how it comes back. */
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

/** Of an order from the bot that own stock can't serve. */
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

/** Where each step leads from each state; what isn't named is refused. */
const LEADS_TO: Readonly<Record<OrderStatus, Readonly<Record<string, string>>>> = {
  processing: { PayOrder: 'completed or pending_delivery', FailOrder: 'failed' },
  pending_delivery: { CompleteOrder: 'completed', FailOrder: 'failed', RefundOrder: 'refunded' },
  completed: { RefundOrder: 'refunded' },
  failed: {},
  refunded: {},
};

function shop(balanceMicros = 10_000_000): State {
  const state = worldState({ accounts: 1, products: 1, balanceMicros, stock: 2 });
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, type: 'file' } });
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, type: 'manual' } });
  const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
  execute(state, { kind: 'CreateSupplier', profile });
  const source = { supplierId: 1, sku: 'x' };
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, source } });
  const file = { fileId: 'a'.repeat(32), sizeBytes: 3, contentType: 'text/plain', sha256: 'c'.repeat(64) };
  execute(state, { kind: 'SetProductFile', productId: FILE, file });
  return state;
}

function execute(state: State, command: Command): unknown {
  const decision = decide(state, noHistory, command, NOW_MS);
  if ('atMs' in decision) apply(state, decision);
  assert.deepEqual(brokenInvariants(state), []);
  return answer(state, decision);
}

function orderOne(state: State): Order {
  const order = state.orders.get(1);
  assert.ok(order);
  return order;
}

describe('an order goes only where the lifecycle says', () => {
  for (const [status, ...commands] of WAYS) {
    for (const step of STEPS) {
      const way = commands.map(({ kind }) => kind).join(', ');
      const product =
        'productId' in (commands[0] ?? {})
          ? ` of product ${(commands[0] as { productId: number }).productId}`
          : '';
      test(`${way}${product}, then ${step.kind}`, () => {
        const state = shop();
        for (const command of commands) execute(state, command);
        const before = orderOne(state);
        assert.equal(before.status, status);
        const tables = canonicalTables(state);
        const result = execute(state, step);
        const leadsTo = LEADS_TO[status][step.kind];
        if (leadsTo === undefined) {
          assert.ok(result instanceof Rejection);
          assert.equal(result.code, 'TRANSITION_NOT_ALLOWED');
          assert.match(result.message, new RegExp(`Order 1 is ${status}`));
          assert.deepEqual([orderOne(state), canonicalTables(state)], [before, tables]);
        } else {
          const order = step === REFUND ? (result as RefundResult).order : result;
          assert.deepEqual(order, orderOne(state));
          assert.ok(leadsTo.split(' or ').includes(orderOne(state).status));
        }
      });
    }
  }
});

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

describe('a purchase at a supplier goes only where its table says', () => {
  const steps = [CAPTURE, RELEASE, NO_STOCK, RECONCILE];
  for (const [phase, ...commands] of SUPPLIER_PURCHASE_WAYS) {
    test(`${commands.map(({ kind }) => kind).join(', ')}: ${phase ?? 'ended'}`, () => {
      for (const step of steps) {
        const state = shop();
        for (const command of commands) execute(state, command);
        assert.equal(state.supplierPurchases.get(1)?.phase ?? null, phase);
        const mayStep: boolean = step === RECONCILE ? phase === 'unresolved' : phase === 'held';
        const tables = canonicalTables(state);
        const result = execute(state, step);
        assert.equal(!(result instanceof Rejection), mayStep, step.kind);
        if (!mayStep) assert.deepEqual(canonicalTables(state), tables);
      }
    });
  }

  test('and every row of it is reached', () => {
    const rows = new Set<string>();
    for (const [, ...commands] of SUPPLIER_PURCHASE_WAYS) {
      const state = shop();
      for (const command of commands) {
        const before = state.supplierPurchases.get(1)?.phase ?? null;
        const decision = decide(state, noHistory, command, NOW_MS);
        assert.ok('atMs' in decision);
        apply(state, decision);
        const after = state.supplierPurchases.get(1)?.phase ?? null;
        if (before !== after) rows.add(`${before} ${decision.kind} ${after}`);
      }
    }
    assert.deepEqual(rows, rowsOf(SUPPLIER_PURCHASE_STEPS));
  });
});

test('an order from the bot whose supplier is asked waits, on hold, and can be paid again when that fails', () => {
  const state = shop();
  execute(state, open(SUPPLIED));
  const opened = orderOne(state);
  const funds = () => [state.accounts.get(1)?.walletMicros, state.accounts.get(1)?.heldMicros];
  assert.ok(execute(state, PAY) instanceof PurchaseInProgress);
  assert.deepEqual([orderOne(state), funds()], [opened, [8_000_000, 2_000_000]]);
  for (const step of STEPS) {
    const refusal = execute(state, step);
    assert.ok(refusal instanceof Rejection && refusal.code === 'TRANSITION_NOT_ALLOWED', step.kind);
  }
  execute(state, RELEASE);
  assert.deepEqual([orderOne(state), funds()], [opened, [10_000_000, 0]]);

  execute(state, { kind: 'UpdateProduct', productId: SUPPLIED, changes: { priceMicros: 3_000_000 } });
  const again = execute(state, PAY);
  assert.ok(again instanceof PurchaseInProgress && again.supplierPurchase.orderId === 1);
  const paid = execute(state, { ...CAPTURE, supplierPurchaseId: 2 });
  assert.deepEqual(paid, orderOne(state));
  const { status, totalMicros, balanceAfterMicros, idempotencyKey } = orderOne(state);
  assert.deepEqual(
    [status, totalMicros, balanceAfterMicros, idempotencyKey],
    ['pending_delivery', 3_000_000, 7_000_000, ''],
  );
  assert.deepEqual(funds(), [7_000_000, 0]);

  execute(state, RECONCILE);
  assert.equal(orderOne(state).status, 'pending_delivery', 'the first attempt is of own stock');
  execute(state, { ...COMPLETE, supplierPurchaseId: 2 } as Command);
  assert.deepEqual([orderOne(state).status, state.supplierPurchases.size], ['completed', 0]);
  const ended = state.endedSupplierPurchases
    .values()
    .map(({ supplierPurchase, result, count }) => [supplierPurchase.cause, result, count]);
  assert.deepEqual(ended, [['PROVIDER_TIMEOUT', 'delivered', 1]]);
});

test('an order from the bot is sold from own stock first', () => {
  const state = shop();
  execute(state, { kind: 'AddStock', productId: SUPPLIED, firstItem: 0, count: 1 });
  execute(state, open(SUPPLIED));
  execute(state, PAY);
  assert.deepEqual([orderOne(state).status, orderOne(state).firstItem], ['completed', 0]);
});

test('what is paid returns, what is not does not, and items stay sold', () => {
  const cases: [what: string, commands: Command[], walletUsdt: number, itemsLeft: number][] = [
    ['a purchase', [placeOrder()], 8, 1],
    ['a refund', [placeOrder(), REFUND], 10, 1],
    ['a refund after failing it twice', [placeOrder(), FAIL, FAIL, REFUND], 10, 1],
    ['two refunds', [placeOrder(), REFUND, REFUND], 10, 1],
    ['a refund of a part', [placeOrder(), PART], 8.5, 1],
    ['the same again', [placeOrder(), PART, PART], 8.5, 1],
    ['a part, then the rest', [placeOrder(), PART, REFUND], 10, 1],
    ['a new item', [placeOrder(), REPLACE, REPLACE], 8, 0],
    ['pending', [placeOrder({ productId: MANUAL })], 8, 2],
    ['failed after a refund of a part', [placeOrder({ productId: MANUAL }), PART, FAIL], 10, 2],
    ['failed', [placeOrder({ productId: MANUAL }), FAIL, FAIL], 10, 2],
    ['an order from the bot', [open(ITEMS)], 10, 2],
    ['cancelled', [open(ITEMS), FAIL], 10, 2],
    ['paid', [open(ITEMS), PAY, PAY], 8, 1],
  ];
  for (const [what, commands, walletUsdt, itemsLeft] of cases) {
    const state = shop();
    for (const command of commands) execute(state, command);
    const left = [state.accounts.get(1)?.walletMicros, state.stock.available(ITEMS)];
    assert.deepEqual(left, [walletUsdt * 1e6, itemsLeft], what);
  }
});

test('an order that cannot be paid now stays processing, and is paid at the price of its payment', () => {
  const state = shop(1_000_000);
  execute(state, open(ITEMS));
  const opened = orderOne(state);
  const price = (priceMicros: number): Command => ({
    kind: 'UpdateProduct',
    productId: ITEMS,
    changes: { priceMicros },
  });
  const active = (isActive: boolean): Command => ({
    kind: 'UpdateProduct',
    productId: ITEMS,
    changes: { active: isActive },
  });
  const cases: [code: string, before: Command, pay: Command][] = [
    ['INSUFFICIENT_BALANCE', active(true), PAY],
    ['NOT_FOUND', active(false), PAY],
    ['PRICE_CHANGED', price(500_000), { ...PAY, expectedPriceUsdt: 2 } as Command],
    ['OUT_OF_STOCK', { kind: 'WithdrawStock', productId: ITEMS, count: 2 }, PAY],
  ];
  for (const [code, before, pay] of cases) {
    if (code === 'PRICE_CHANGED') execute(state, active(true));
    execute(state, before);
    const result = execute(state, pay);
    assert.ok(result instanceof Rejection && result.code === code, code);
    assert.deepEqual(orderOne(state), opened, code);
  }
  execute(state, { kind: 'AddStock', productId: ITEMS, firstItem: 2, count: 1 });
  execute(state, { ...PAY, expectedPriceUsdt: 0.5 } as Command);
  const { status, totalMicros, balanceAfterMicros, firstItem } = orderOne(state);
  assert.deepEqual([status, totalMicros, balanceAfterMicros, firstItem], ['completed', 500_000, 500_000, 2]);
});

test('an order from the bot needs an account, a product on sale, a recipient, and a payable total', () => {
  const state = shop();
  const requiresRecipient: Command = {
    kind: 'UpdateProduct',
    productId: MANUAL,
    changes: { requiresRecipient: true },
  };
  execute(state, requiresRecipient);
  const cases: [what: string, code: string, changes: object][] = [
    ['no account', 'NOT_FOUND', { accountId: 2 }],
    ['no product', 'NOT_FOUND', { productId: 9 }],
    ['no recipient', 'BAD_REQUEST', { productId: MANUAL }],
    ['more items than an order has', 'BAD_REQUEST', { quantity: 10_001 }],
    ['more than any wallet holds', 'BAD_REQUEST', { productId: FILE, quantity: Number.MAX_SAFE_INTEGER }],
  ];
  for (const [what, code, changes] of cases) {
    const result = execute(state, { ...open(ITEMS), ...changes } as Command);
    assert.ok(result instanceof Rejection && result.code === code, what);
  }
  assert.equal(state.lastOrderId, 0);
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

/** Of the page's table, whose columns are named in its first row. */
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
