/**
 * The node's counts: histograms, sales as the money report has them, and the charts of the last hour with bars of a
 * minute, the pace of now, and how long purchases took.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addChange, moneyChangeOf, noSums } from '../../src/engine/apply/money-change.ts';
import type { Fact, FactKind } from '../../src/engine/fact.ts';
import { Histogram } from '../../src/metrics/histogram.ts';
import { LastHour } from '../../src/metrics/last-hour.ts';
import { RefusalCounter } from '../../src/metrics/refusal-counter.ts';
import { RequestMeter } from '../../src/metrics/request-meter.ts';
import { SalesCounter } from '../../src/metrics/sales-counter.ts';

test('a histogram counts a value with each bound that is not below it', () => {
  const histogram = new Histogram([1, 2, 5]);
  const values = [1, 2, -1, 5.5, 0.5];
  for (const value of values) histogram.add(value);
  assert.deepEqual(histogram.figures, { bounds: [1, 2, 5], counts: [3, 4, 4], count: 5, sum: 8 });
});

const ORDER = { orderId: 1, accountId: 1, productId: 7, quantity: 3, totalMicros: 10_500_000 };
/** Every fact that moves money. */
const FACTS: readonly FactKind[] = [
  ...(['OrderPlaced', 'OrderPaid', 'HoldCaptured', 'OrderFailed', 'OrderRefunded'] as const),
  ...(['WalletCredited', 'HoldPlaced', 'HoldReleased'] as const),
];

function factOf(kind: FactKind): Fact {
  const amount = { amountMicros: 1_000_000, totalMicros: 1_000_000, accountId: 1, productId: 7, orderId: 1 };
  const named = { order: ORDER, credit: amount, supplierPurchase: amount };
  return { kind, atMs: 1, ...amount, ...named } as unknown as Fact;
}

test('each kind of fact counts as much as the money report has of it', () => {
  for (const kind of FACTS) {
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
    assert.deepEqual([counter.total, counter.of(7), counter.of(8)], [sales, sales, none], kind);
  }
});

test('the last hour has bars of a minute, and forgets what was before; its durations are those of a minute', () => {
  let nowMs = 0;
  const sales = { total: { orders: 0, units: 0, micros: 0 } };
  const refusals = new RefusalCounter();
  const purchases = new RequestMeter({ listener: 'buyer', method: 'POST', route: '/orders' });
  const clocks = { clock: () => 1_767_225_600_000 + nowMs, monotonicMs: () => nowMs };
  const lastHour = new LastHour({ sales, refusals, purchases, ...clocks });
  lastHour.look();
  const sell = (orders: number, durationMs: number) => {
    const { total } = sales;
    sales.total = { orders: total.orders + orders, units: total.units + 2 * orders, micros: 0 };
    for (let order = 0; order < orders; order += 1) purchases.answered(201, durationMs);
  };
  /** Ten seconds pass, as often. */
  const pass = (times: number) => {
    for (let time = 0; time < times; time += 1) {
      nowMs += 10_000;
      lastHour.look();
    }
  };
  refusals.count('PRICE_CHANGED');
  for (let minute = 1; minute <= 100; minute += 1) {
    sell(minute, 0.4);
    pass(6);
  }
  refusals.count('OUT_OF_STOCK');
  assert.deepEqual(
    lastHour.bars.map(({ orders, units, seconds }) => [orders, units, seconds]),
    [...Array.from({ length: 60 }, (_, index) => [41 + index, 82 + 2 * index, 60]), [0, 0, 0]],
  );
  const { PRICE_CHANGED, OUT_OF_STOCK } = lastHour.refusals;
  assert.deepEqual([PRICE_CHANGED, OUT_OF_STOCK], [0, 1]);
  pass(1);
  sell(98, 1.5);
  sell(2, 4_000);
  pass(1);
  assert.equal(lastHour.justNow.orders / lastHour.justNow.seconds, 10);
  const { p50Ms, p99Ms } = lastHour.lastMinute;
  assert.deepEqual([p50Ms, p99Ms], [1.51, 3_500], 'between 1 and 2 ms, between 2 and 5 s');
});
