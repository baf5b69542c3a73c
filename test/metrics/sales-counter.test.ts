/** Sales are what the money report takes for them, and nothing else is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fact, FactKind } from '../../src/engine/fact.ts';
import { addChange, moneyChangeOf, noSums } from '../../src/engine/money-change.ts';
import { SalesCounter } from '../../src/metrics/sales-counter.ts';

const ORDER = { orderId: 1, accountId: 1, productId: 7, quantity: 3, totalMicros: 10_500_000 };
/** Every fact that moves money. */
const FACTS: readonly FactKind[] = [
  'OrderPlaced',
  'OrderPaid',
  'HoldCaptured',
  'OrderFailed',
  'OrderRefunded',
  'WalletCredited',
  'HoldPlaced',
  'HoldReleased',
];

function factOf(kind: FactKind): Fact {
  const amount = { amountMicros: 1_000_000, totalMicros: 1_000_000, accountId: 1, productId: 7, orderId: 1 };
  const named = { order: ORDER, credit: amount, supplierPurchase: amount };
  return { kind, atMs: 1, ...amount, ...named } as unknown as Fact;
}

for (const kind of FACTS) {
  test(`${kind} counts as much as the money report has of it`, () => {
    const counter = new SalesCounter();
    const sums = noSums();
    const fact = factOf(kind);
    counter.count([fact, fact]);
    for (const change of [moneyChangeOf(fact), moneyChangeOf(fact)]) {
      if (change !== undefined) addChange(sums, change);
    }
    const isSale = sums.salesMicros > 0;
    const sales = { orders: isSale ? 2 : 0, units: isSale ? 6 : 0, micros: sums.salesMicros };
    const none = { orders: 0, units: 0, micros: 0 };
    assert.deepEqual([counter.total, counter.of(7), counter.of(8)], [sales, sales, none]);
  });
}
