/** What charts of the last hour show: bars of a minute, the pace of now, and how long purchases took. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LastHour, type Span } from '../../src/metrics/last-hour.ts';
import { RefusalCounter } from '../../src/metrics/refusal-counter.ts';
import { RequestMeter } from '../../src/metrics/request-meter.ts';

const START_MS = 1_767_225_600_000;

function underTest() {
  const scene = { nowMs: 0, total: { orders: 0, units: 0, micros: 0 } };
  const refusals = new RefusalCounter();
  const purchases = new RequestMeter({ listener: 'buyer', method: 'POST', route: '/orders' });
  const lastHour = new LastHour({
    sales: scene,
    refusals,
    purchases,
    clock: () => START_MS + scene.nowMs,
    monotonicMs: () => scene.nowMs,
  });
  lastHour.look();
  return {
    lastHour,
    refusals,
    purchases,
    sell: (orders: number, durationMs: number) => {
      const { total } = scene;
      scene.total = { orders: total.orders + orders, units: total.units + 2 * orders, micros: 0 };
      for (let order = 0; order < orders; order += 1) purchases.answered(201, durationMs);
    },
    /** Ten seconds pass. */
    pass: (times = 1) => {
      for (let time = 0; time < times; time += 1) {
        scene.nowMs += 10_000;
        lastHour.look();
      }
    },
  };
}

function ordersOf(bars: readonly Span[]): number[] {
  return bars.map(({ orders }) => orders);
}

test('bars are minutes, and the last is what there is of the one that goes on', () => {
  const { lastHour, sell, pass, refusals } = underTest();
  sell(3, 1);
  pass(6);
  sell(5, 1);
  refusals.count('OUT_OF_STOCK');
  refusals.count('REPLAY_NOT_ALLOWED');
  pass(2);
  sell(1, 1);
  const { bars } = lastHour;
  assert.deepEqual(ordersOf(bars), [3, 6]);
  assert.deepEqual(
    bars.map(({ seconds, units, refusals: refused, atMs }) => [seconds, units, refused, atMs - START_MS]),
    [
      [60, 6, 0, 0],
      [20, 12, 1, 60_000],
    ],
  );
});

test('there are an hour of them, and what was before is forgotten', () => {
  const { lastHour, sell, pass, refusals } = underTest();
  refusals.count('PRICE_CHANGED');
  for (let minute = 1; minute <= 100; minute += 1) {
    sell(minute, 1);
    pass(6);
  }
  refusals.count('OUT_OF_STOCK');
  const bars = ordersOf(lastHour.bars);
  assert.deepEqual(bars, [...Array.from({ length: 60 }, (_, index) => 41 + index), 0]);
  const { PRICE_CHANGED, OUT_OF_STOCK } = lastHour.refusals;
  assert.deepEqual([PRICE_CHANGED, OUT_OF_STOCK], [0, 1]);
});

test('the pace is that of the last moments, and durations are those of a minute', () => {
  const { lastHour, sell, pass } = underTest();
  sell(50, 0.4);
  pass(7);
  sell(98, 1.5);
  sell(2, 4_000);
  pass();
  assert.equal(lastHour.justNow.orders / lastHour.justNow.seconds, 10);
  const { p50Ms, p99Ms } = lastHour.lastMinute;
  assert.equal(p50Ms, 1.51, 'between 1 and 2');
  assert.equal(p99Ms, 3_500, 'between 2 and 5 seconds');
});
