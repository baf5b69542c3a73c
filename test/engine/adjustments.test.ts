/** Refunds and replacements against sums and lists that are obviously right, in micro-USDT. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Command, RefundResult } from '../../src/engine/decide/command.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import { MAX_ADJUSTED_ITEMS, MAX_ADJUSTMENTS } from '../../src/engine/limits.ts';
import type { State } from '../../src/engine/state.ts';
import { execute, placeOrder, worldState } from './commands.ts';

const START_MICROS = 1_000_000_000;

/** One order of so many items for so many cents. */
function sold(quantity: number, totalCents: number, stock = quantity): State {
  const state = worldState({ accounts: 1, products: 1, balanceMicros: START_MICROS, stock });
  const tier = { minQuantity: quantity, priceMicros: Math.ceil((totalCents * 10_000) / quantity) };
  execute(state, { kind: 'UpdateProduct', productId: 1, changes: { priceTiers: [tier] } });
  execute(state, placeOrder({ quantity, expectedPriceUsdt: totalCents / 100 }));
  assert.equal(state.orders.get(1)?.totalMicros, totalCents * 10_000);
  return state;
}

const walletOf = (state: State) => state.accounts.get(1)?.walletMicros ?? 0;

const part = fc.oneof(
  fc.record({ items: fc.uniqueArray(fc.nat({ max: 7 }), { minLength: 1, maxLength: 3 }) }),
  fc.record({ amountMicros: fc.integer({ min: 1, max: 40_000 }) }),
  fc.constant({}),
);

test('however an order is refunded, the wallet gets back what was paid and not more, once for each key', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.record({ part, key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f') }), { maxLength: 12 }),
      (quantity, totalCents, requests) => {
        const state = sold(quantity, totalCents);
        const totalMicros = totalCents * 10_000;
        let leftMicros = totalMicros;
        const left = new Set(Array.from({ length: quantity }, (_, item) => item));
        const asked = new Map<string, string>();
        let isByAmount = false;
        for (const { part: given, key } of requests) {
          const items = 'items' in given ? given.items.toSorted((a, b) => a - b) : undefined;
          const wanted: { items?: number[]; amountMicros?: number } = items === undefined ? given : { items };
          const request = JSON.stringify(wanted);
          const repeats = asked.get(key);
          let expected: number | undefined;
          if (repeats !== undefined) expected = repeats === request ? 0 : undefined;
          else if (leftMicros === 0) expected = undefined;
          else if (items !== undefined) {
            const isAllowed = !isByAmount && items.every((item) => left.has(item));
            const share = Math.floor(totalMicros / quantity);
            if (isAllowed) {
              const last = totalMicros - share * (quantity - 1);
              expected = items.reduce((sum, item) => sum + (item === quantity - 1 ? last : share), 0);
            }
          } else expected = wanted.amountMicros ?? leftMicros;
          if (expected !== undefined && expected > leftMicros) expected = undefined;
          const before = walletOf(state);
          const result = execute(state, { kind: 'RefundOrder', orderId: 1, key, ...wanted });
          assert.equal(result instanceof Rejection, expected === undefined, request);
          assert.equal(walletOf(state), before + (expected ?? 0));
          if (expected === undefined) continue;
          const { balanceMicros, replayed, order } = result as RefundResult;
          assert.deepEqual([balanceMicros, replayed], [walletOf(state), repeats !== undefined]);
          leftMicros -= expected;
          assert.equal(order.status, leftMicros === 0 ? 'refunded' : 'completed');
          if (repeats !== undefined) continue;
          asked.set(key, request);
          for (const item of items ?? []) left.delete(item);
          if (wanted.amountMicros !== undefined) isByAmount = true;
        }
        assert.equal(walletOf(state), START_MICROS - leftMicros);
        assert.equal(state.ledger.revenueMicros, leftMicros);
      },
    ),
    { numRuns: 150 },
  );
});

test('what was changed about an order has a limit, and the rest can be refunded all the same', () => {
  const state = sold(2, 200, 2 + MAX_ADJUSTMENTS);
  for (let nth = 0; nth < MAX_ADJUSTMENTS; nth += 1) {
    const key = `key ${nth}`;
    const command: Command =
      nth % 2 === 0
        ? { kind: 'RefundOrder', orderId: 1, key, amountMicros: 1 }
        : { kind: 'ReplaceItems', orderId: 1, key, items: [1] };
    assert.ok(!(execute(state, command) instanceof Rejection));
  }
  const more: Command[] = [
    { kind: 'RefundOrder', orderId: 1, key: 'more', amountMicros: 1 },
    { kind: 'ReplaceItems', orderId: 1, key: 'more', items: [0] },
  ];
  for (const command of more) {
    const refused = execute(state, command);
    assert.ok(refused instanceof Rejection && refused.code === 'TRANSITION_NOT_ALLOWED');
    assert.match(refused.message, /at most 100 refunds and replacements/);
  }
  execute(state, { kind: 'RefundOrder', orderId: 1 });
  assert.deepEqual([state.orders.get(1)?.status, walletOf(state)], ['refunded', START_MICROS]);
});

test('so have the items that are replaced in one order', () => {
  const quantity = MAX_ADJUSTED_ITEMS;
  const state = sold(quantity, quantity, 2 * quantity + 1);
  const items = Array.from({ length: quantity }, (_, item) => item);
  assert.ok(!(execute(state, { kind: 'ReplaceItems', orderId: 1, key: 'all', items }) instanceof Rejection));
  const more = execute(state, { kind: 'ReplaceItems', orderId: 1, key: 'more', items: [0] });
  assert.ok(more instanceof Rejection && more.code === 'TRANSITION_NOT_ALLOWED');
  assert.equal(state.stock.available(1), 1);
});

test('a part whose share is nothing is refused: it would use up its key and return no money', () => {
  const state = sold(3, 0);
  const refused = execute(state, { kind: 'RefundOrder', orderId: 1, key: 'k', items: [0] });
  assert.ok(refused instanceof Rejection && refused.code === 'TRANSITION_NOT_ALLOWED');
  const all = execute(state, { kind: 'RefundOrder', orderId: 1 }) as RefundResult;
  assert.deepEqual([all.order.status, all.balanceMicros], ['refunded', START_MICROS]);
});
