/**
 * Where purchase-model.test.ts doesn't go, and HTTP would need too much: absurd quantities, the most items of an order,
 * and the limits of credits.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../src/engine/decide/command.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import { codeOf, execute, placeOrder, worldState } from './commands.ts';

const POOR = { accounts: 1, products: 1, balanceMicros: 1_000_000, stock: 1 };
const RICH = { accounts: 2, products: 2, balanceMicros: 1_000_000_000, stock: 3 };

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
    [10_000, 'done'],
    [10_001, 'BAD_REQUEST'],
    [10_002, 'OUT_OF_STOCK'],
  ];
  for (const [quantity, code] of cases) {
    const idempotencyKey = code === 'done' ? 'sold' : 'free';
    const command = placeOrder({ idempotencyKey, quantity, expectedPriceUsdt: quantity * 2 });
    assert.equal(codeOf(execute(state, command)), code, `${quantity}`);
  }
});

test('a credit happens once per reference and never takes a wallet below zero or the ledger over its maximum', () => {
  const state = worldState(POOR);
  const credit = { kind: 'CreditWallet', accountId: 1, reference: 'r', amountMicros: 5 } as const;
  const cases: [what: string, code: string, command: Command][] = [
    ['first', 'done', credit],
    ['again', 'done', credit],
    ['another amount', 'IDEMPOTENCY_CONFLICT', { ...credit, amountMicros: 6 }],
    ['too far down', 'INSUFFICIENT_BALANCE', { ...credit, reference: 'd', amountMicros: -1_000_006 }],
    ['down to zero', 'done', { ...credit, reference: 'z', amountMicros: -1_000_005 }],
    ['too much', 'BAD_REQUEST', { ...credit, reference: 'm', amountMicros: 9_000_000_000_000_001 }],
    ['unknown account', 'NOT_FOUND', { ...credit, accountId: 9 }],
  ];
  for (const [what, code, command] of cases) assert.equal(codeOf(execute(state, command)), code, what);
  assert.equal(state.accounts.get(1)?.walletMicros, 0);
});
