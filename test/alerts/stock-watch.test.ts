/** Stock that is low: told at the crossing, with how long it lasts at the pace of the last day. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SalesPace } from '../../src/alerts/sales-pace.ts';
import { ShortestCover } from '../../src/alerts/shortest-cover.ts';
import { StockWatch } from '../../src/alerts/stock-watch.ts';
import { apply } from '../../src/engine/apply/apply.ts';
import type { Command } from '../../src/engine/decide/command.ts';
import { decide } from '../../src/engine/decide/decide.ts';
import { noHistory } from '../../src/engine/decide/history.ts';
import type { ProductProfile } from '../../src/engine/products.ts';
import { SalesCounter } from '../../src/metrics/sales-counter.ts';
import { NOW_MS, placeOrder, worldState } from '../engine/commands.ts';
import { NOT_STOPPED, type Step, Watched } from './watched.ts';

const HOUR_MS = 3_600_000;

function underTest(stock: number) {
  const watched = new Watched();
  const state = worldState({ accounts: 1, products: 1, balanceMicros: 1e12, stock });
  const sales = new SalesCounter();
  const pace = new SalesPace({ engine: { state }, sales });
  const watch = new StockWatch({
    standing: watched.standing,
    engine: { state },
    pace,
    shortest: new ShortestCover(pace),
    monotonicMs: watched.clock,
  });
  let keys = 0;
  const happen = (command: Command) => {
    const fact = decide(state, noHistory, command, NOW_MS);
    assert.ok('atMs' in fact, JSON.stringify(fact));
    apply(state, fact);
    sales.count([fact]);
  };
  return {
    watched,
    change: (changes: Partial<ProductProfile>) => happen({ kind: 'UpdateProduct', productId: 1, changes }),
    sell: (quantity: number) => {
      keys += 1;
      happen(placeOrder({ quantity, idempotencyKey: `k${keys}`, expectedPriceUsdt: 2 * quantity }));
    },
    withdraw: (count: number) => happen({ kind: 'WithdrawStock', productId: 1, count }),
    add: (count: number) => {
      const firstItem = state.stock.of(1).end;
      happen({ kind: 'AddStock', productId: 1, firstItem, count, label: {} });
    },
    look: async () => {
      await watch.look(NOT_STOPPED);
      return watched.told();
    },
    follow: (...steps: readonly Step[]) => watched.follow(() => watch.look(NOT_STOPPED), steps),
  };
}

function line(state: string, availableStock: number, lowStock: number | null, hours: number | null = null) {
  return `STOCK_LOW ${state} ${JSON.stringify({ productId: 1, availableStock, lowStock, hoursOfCover: hours })}`;
}

test('once when it falls below, and again only after it was over, with a tenth of lowStock as margin', async () => {
  const { follow, change, sell, add, watched } = underTest(25);
  change({ lowStock: 20 });
  await follow(
    ['just enough', () => sell(5), []],
    ['one less', () => sell(1), [line('firing', 19, 20)]],
    ['still less', () => sell(4), []],
    ['enough, but for the margin', () => add(6), []],
    ['less', () => sell(2), []],
    ['enough', () => add(3), [line('resolved', 22, 20)]],
    ['less again', () => sell(3), [line('firing', 19, 20)]],
    ['none', () => sell(19), []],
    ['off sale', () => change({ active: false }), [line('resolved', 0, 20)]],
    ['on sale', () => change({ active: true }), [line('firing', 0, 20)]],
    ['no lowStock any more', () => change({ lowStock: null }), [line('resolved', 0, null)]],
  );
  assert.equal(watched.messages[0], 'Product 1 has 19 left, its lowStock is 20.');
});

test('below ten it is over with one more, or with just enough for a minute', async () => {
  const { follow, change, sell, add, watched } = underTest(3);
  change({ lowStock: 3 });
  await follow(
    ['one less', () => sell(1), [line('firing', 2, 3)]],
    ['just enough', () => add(1), []],
    ['less', () => sell(1), []],
    ['one more', () => add(2), [line('resolved', 4, 3)]],
    ['less', () => sell(2), [line('firing', 2, 3)]],
    ['just enough', () => add(1), []],
    ['for a minute', () => (watched.nowMs += 60_000), [line('resolved', 3, 3)]],
  );
});

test('a product that never had an item is new, and not low', async () => {
  const { follow, change, add } = underTest(0);
  await follow(
    ['new', () => change({ lowStock: 5 }), []],
    ['its first item', () => add(1), [line('firing', 1, 5)]],
  );
});

test('hours of cover are by the sales of the last day: not of days before, and not what was withdrawn', async () => {
  const { look, change, sell, withdraw, watched } = underTest(1_000);
  change({ lowStock: 101 });
  await look();
  const hours = async (sold: readonly number[]): Promise<void> => {
    for (const quantity of sold) {
      if (quantity > 0) sell(quantity);
      watched.nowMs += HOUR_MS;
      assert.deepEqual(await look(), []);
    }
  };
  await hours(Array(24).fill(20));
  await hours(Array(24).fill(10));
  withdraw(100);
  await hours([10]);
  sell(70);
  // 24 hours with ten each, but for the last with 70 and without the first, and 100 left.
  const [told] = await look();
  assert.equal(told, line('firing', 100, 101, Math.round((100 / (24 * 10 + 70)) * 24 * 10) / 10));
  assert.match(watched.messages[0] ?? '', /At the pace of the last day own stock lasts [\d.]+ hours\.$/);
});

test('what was sold before the first look at a product, or since the start, is in its day', () => {
  const sold = new Map([[1, 5]]);
  const products = { nextId: 2 };
  const engine = { state: { products, stock: { taken: () => 0, available: () => 0 } } } as never;
  const pace = new SalesPace({
    engine,
    sales: { of: (productId) => ({ orders: 1, units: sold.get(productId) ?? 0, micros: 1 }) },
  });
  for (const [productId, units, nowMs] of [
    [1, 5, 0],
    [2, 7, 10_000],
  ] as const) {
    sold.set(productId, units);
    pace.begin(nowMs);
    pace.note(nowMs, productId);
    assert.equal(pace.soldLastDay(productId), units);
  }
});
