/**
 * The purchase's table of SPEC.md §4: what is refused, in which precedence, and what a key repeats.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../src/engine/apply.ts';
import type { Command, PlaceOrder, PurchaseResult } from '../../src/engine/command.ts';
import { answer, decide } from '../../src/engine/decide.ts';
import { noHistory } from '../../src/engine/history.ts';
import { brokenInvariants } from '../../src/engine/invariants.ts';
import { NO_ITEM } from '../../src/engine/orders.ts';
import { PRODUCT_TYPES } from '../../src/engine/products.ts';
import { Rejection } from '../../src/engine/rejection.ts';
import type { State } from '../../src/engine/state.ts';
import { availableStock } from '../../src/engine/stock.ts';
import { NOW_MS, PRODUCT, placeOrder, worldState } from './commands.ts';

function execute(state: State, command: Command): unknown {
  const decision = decide(state, noHistory, command, NOW_MS);
  if ('atMs' in decision) apply(state, decision);
  assert.deepEqual(brokenInvariants(state), []);
  return answer(state, decision);
}

function codeOf(result: unknown): string {
  return result instanceof Rejection ? result.code : 'bought';
}

const POOR = { accounts: 1, products: 1, balanceMicros: 1_000_000, stock: 1 };
const RICH = { accounts: 2, products: 2, balanceMicros: 1_000_000_000, stock: 3 };

test('of several refusals the first of the precedence is the answer', () => {
  const cases: [what: string, code: string, command: Partial<PlaceOrder>][] = [
    ['everything is wrong', 'NOT_FOUND', { productId: 9, quantity: 99, expectedPriceUsdt: 0 }],
    ['price, stock and balance', 'PRICE_CHANGED', { quantity: 99, expectedPriceUsdt: 0 }],
    ['stock and balance', 'OUT_OF_STOCK', { quantity: 99, expectedPriceUsdt: 198 }],
    ['balance', 'INSUFFICIENT_BALANCE', {}],
  ];
  for (const [what, code, command] of cases) {
    assert.equal(codeOf(execute(worldState(POOR), placeOrder(command))), code, what);
  }
});

test('what a key repeats after the cause is mended', () => {
  const cases: [first: string, command: Partial<PlaceOrder>, mend: Command, then: string][] = [
    [
      'INSUFFICIENT_BALANCE',
      {},
      { kind: 'CreditWallet', accountId: 1, reference: 'more', amountMicros: 50_000_000 },
      'INSUFFICIENT_BALANCE',
    ],
    [
      'PRICE_CHANGED',
      { expectedPriceUsdt: 1 },
      { kind: 'UpdateProduct', productId: 1, changes: { priceMicros: 1_000_000 } },
      'PRICE_CHANGED',
    ],
    ['NOT_FOUND', { productId: 2 }, { kind: 'CreateProduct', profile: PRODUCT }, 'NOT_FOUND'],
    [
      'OUT_OF_STOCK',
      { quantity: 2, expectedPriceUsdt: 4 },
      { kind: 'AddStock', productId: 1, firstItem: 1, count: 1 },
      'INSUFFICIENT_BALANCE',
    ],
  ];
  for (const [first, command, mend, then] of cases) {
    const state = worldState(POOR);
    assert.equal(codeOf(execute(state, placeOrder(command))), first);
    execute(state, mend);
    const repeated = execute(state, placeOrder(command));
    assert.equal(codeOf(repeated), then, first);
    assert.equal(repeated instanceof Rejection && repeated.replayed, first === then, first);
  }
});

test('the same request with the same key is the same order; any other is a conflict', () => {
  const state = worldState(RICH);
  const first = execute(state, placeOrder());
  const cases: [what: string, code: string, command: Partial<PlaceOrder>][] = [
    ['the same', 'bought', {}],
    ['another product', 'IDEMPOTENCY_CONFLICT', { productId: 2 }],
    ['another quantity', 'IDEMPOTENCY_CONFLICT', { quantity: 2 }],
    ['another price', 'IDEMPOTENCY_CONFLICT', { expectedPriceUsdt: 2.01 }],
    ['a recipient', 'IDEMPOTENCY_CONFLICT', { recipientUsername: '@somebody' }],
  ];
  for (const [what, code, command] of cases) {
    assert.equal(codeOf(execute(state, placeOrder(command))), code, what);
  }
  assert.deepEqual(execute(state, placeOrder()), { ...(first as object), replayed: true });
  assert.equal(codeOf(execute(state, placeOrder({ accountId: 2 }))), 'bought', "another account's key");
  assert.equal(state.lastOrderId, 2);
});

test('an absurd quantity is priced exactly and never in stock', () => {
  const state = worldState(RICH);
  const quantity = Number.MAX_SAFE_INTEGER;
  const wrongPrice = execute(state, placeOrder({ quantity, idempotencyKey: 'a' }));
  assert.ok(wrongPrice instanceof Rejection && wrongPrice.code === 'PRICE_CHANGED');
  const rightPrice = Number(wrongPrice.currentPriceMicros) / 1e6;
  const command = placeOrder({ quantity, expectedPriceUsdt: rightPrice, idempotencyKey: 'b' });
  assert.equal(codeOf(execute(state, command)), 'OUT_OF_STOCK');
});

test('more items than one order may have are out of stock, unless they are there', () => {
  const state = worldState({ ...RICH, balanceMicros: 1_000_000_000_000, stock: 20_001 });
  const cases: [quantity: number, code: string][] = [
    [20_002, 'OUT_OF_STOCK'],
    [20_001, 'BAD_REQUEST'],
    [10_001, 'BAD_REQUEST'],
    [10_000, 'bought'],
    [10_001, 'BAD_REQUEST'],
    [10_002, 'OUT_OF_STOCK'],
  ];
  for (const [quantity, code] of cases) {
    const idempotencyKey = code === 'bought' ? 'sold' : 'free';
    const command = placeOrder({ idempotencyKey, quantity, expectedPriceUsdt: quantity * 2 });
    const result = execute(state, command);
    assert.equal(codeOf(result), code, `${quantity}`);
    if (code === 'BAD_REQUEST') assert.match((result as Rejection).message, /at most 10000 items/);
  }
});

test('a file product is on sale once it has a file, and an order keeps the file that it bought', () => {
  const state = worldState({ ...RICH, products: 0 });
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, type: 'file' } });
  assert.equal(codeOf(execute(state, placeOrder({ idempotencyKey: 'early' }))), 'NOT_FOUND');
  for (const fileId of ['a'.repeat(32), 'b'.repeat(32)]) {
    const file = { fileId, sizeBytes: 3, contentType: 'text/plain', sha256: 'c'.repeat(64) };
    assert.equal(codeOf(execute(state, { kind: 'SetProductFile', productId: 1, file })), 'bought');
    const command = placeOrder({ idempotencyKey: fileId, quantity: 3, expectedPriceUsdt: 6 });
    const { order } = execute(state, command) as PurchaseResult;
    assert.deepEqual(
      [order.status, order.fileId, order.firstItem, order.textCount, order.totalMicros],
      ['completed', fileId, NO_ITEM, 0, 6_000_000],
    );
    assert.equal(state.orders.get(order.orderId)?.fileId, fileId);
  }
  assert.equal(state.orders.get(1)?.fileId, 'a'.repeat(32));
});

test('only a file product has a file', () => {
  const state = worldState(RICH);
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, type: 'manual' } });
  const file = { fileId: 'a'.repeat(32), sizeBytes: 3, contentType: 'text/plain', sha256: 'c'.repeat(64) };
  const cases: [productId: number, code: string][] = [
    [1, 'BAD_REQUEST'],
    [3, 'BAD_REQUEST'],
    [4, 'NOT_FOUND'],
  ];
  for (const [productId, code] of cases) {
    assert.equal(codeOf(execute(state, { kind: 'SetProductFile', productId, file })), code);
  }
});

test('a manual product is sold as pending, paid for, and never runs out', () => {
  const state = worldState({ ...RICH, products: 0 });
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, type: 'manual' } });
  const { order } = execute(state, placeOrder({ quantity: 100, expectedPriceUsdt: 200 })) as PurchaseResult;
  assert.deepEqual(
    [order.status, order.firstItem, order.fileId, order.balanceAfterMicros],
    ['pending_delivery', NO_ITEM, null, 800_000_000],
  );
});

test('what is left: a number of items, or unlimited', () => {
  const state = worldState({ ...RICH, products: 0 });
  const left = PRODUCT_TYPES.map((type) => {
    execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, type } });
    const product = state.products.get(state.products.size);
    assert.ok(product);
    return [type, availableStock(state.stock, product)];
  });
  assert.deepEqual(Object.fromEntries(left), { standard: 0, file: 'unlimited', manual: 'unlimited' });
});

test('a recipient that the product requires and the request lacks is refused, and the key stays free', () => {
  const state = worldState(RICH);
  execute(state, { kind: 'UpdateProduct', productId: 1, changes: { requiresRecipient: true } });
  assert.equal(codeOf(execute(state, placeOrder())), 'BAD_REQUEST');
  assert.equal(codeOf(execute(state, placeOrder({ recipientUsername: '@somebody' }))), 'bought');
});

test('a credit happens once per reference and never takes a wallet below zero or the ledger over its maximum', () => {
  const state = worldState(POOR);
  const credit = { kind: 'CreditWallet', accountId: 1, reference: 'r', amountMicros: 5 } as const;
  const cases: [what: string, code: string, command: Command][] = [
    ['first', 'bought', credit],
    ['again', 'bought', credit],
    ['another amount', 'IDEMPOTENCY_CONFLICT', { ...credit, amountMicros: 6 }],
    ['too far down', 'INSUFFICIENT_BALANCE', { ...credit, reference: 'd', amountMicros: -1_000_006 }],
    ['down to zero', 'bought', { ...credit, reference: 'z', amountMicros: -1_000_005 }],
    ['too much', 'BAD_REQUEST', { ...credit, reference: 'm', amountMicros: 9_000_000_000_000_001 }],
    ['unknown account', 'NOT_FOUND', { ...credit, accountId: 9 }],
  ];
  for (const [what, code, command] of cases) assert.equal(codeOf(execute(state, command)), code, what);
  assert.equal(state.accounts.get(1)?.walletMicros, 0);
});
