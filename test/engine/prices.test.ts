/** Prices in the engine: the rule of each purchase is that of a naive resolver, whatever was set before. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apply } from '../../src/engine/apply/apply.ts';
import type { PurchaseResult } from '../../src/engine/decide/command.ts';
import { decide } from '../../src/engine/decide/decide.ts';
import { noHistory } from '../../src/engine/decide/history.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { MAX_OWN_PRICES, MAX_PRICE_CHANGES, MAX_PRICE_LISTS } from '../../src/engine/limits.ts';
import type { Price } from '../../src/engine/pricing/price.ts';
import { State } from '../../src/engine/state.ts';
import { canonicalTables } from '../../src/persistence/state-tables.ts';
import { codeOf, execute, NOW_MS, placeOrder, worldState } from './commands.ts';

const ACCOUNTS = 3;
const PRODUCTS = 3;
const LISTS = 3;
const WORLD = { accounts: ACCOUNTS, products: PRODUCTS, balanceMicros: 8e14, stock: 100_000 };

const cents = fc.integer({ min: 0, max: 20_000 }).map((count) => count * 10_000);
const price: fc.Arbitrary<Price> = fc.record({
  priceMicros: cents,
  priceTiers: fc
    .uniqueArray(
      fc.record({
        minQuantity: fc.integer({ min: 2, max: 30 }),
        priceMicros: fc.integer({ min: 5_000, max: 9_999_999 }),
      }),
      { selector: ({ minQuantity }) => minQuantity, maxLength: 3 },
    )
    .map((tiers) => tiers.sort((a, b) => a.minQuantity - b.minQuantity)),
});
const percent = fc.option(fc.oneof(fc.constant(0), fc.integer({ min: -9_900, max: 100_000 })));
const accountId = fc.integer({ min: 1, max: ACCOUNTS });
const productId = fc.integer({ min: 1, max: PRODUCTS });
const priceListId = fc.integer({ min: 1, max: LISTS });
const maybePrice = fc.option(price, { freq: 3 });

const step = fc.oneof(
  { weight: 1, arbitrary: fc.record({ list: priceListId, percent }) },
  { weight: 2, arbitrary: fc.record({ ofList: priceListId, productId, price: maybePrice }) },
  { weight: 2, arbitrary: fc.record({ own: accountId, productId, price: maybePrice }) },
  { weight: 2, arbitrary: fc.record({ gives: accountId, list: fc.option(priceListId) }) },
  {
    weight: 2,
    arbitrary: fc.record({ product: productId, price, visibility: fc.constantFrom('all', 'listed') }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ buys: accountId, productId, quantity: fc.integer({ min: 1, max: 40 }) }),
  },
);

/** A total by fractions of whole numbers alone, written anew. */
function naiveTotal({ priceMicros, priceTiers }: Price, quantity: number, steps: number | null): bigint {
  const unit = BigInt(
    priceTiers.findLast((tier) => quantity >= tier.minQuantity)?.priceMicros ?? priceMicros,
  );
  const unitMicros = steps === null ? unit : (unit * BigInt(10_000 + steps) * 2n + 10_000n) / 20_000n;
  const total = ((unitMicros * BigInt(quantity) * 2n + 10_000n) / 20_000n) * 10_000n;
  return total === 0n && unit > 0n ? 10_000n : total;
}

test('each purchase is priced by the first rule that there is, and keeps it; a replay has the same prices', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
      const state = worldState(WORLD);
      const facts: Fact[] = [];
      const run = (command: Parameters<typeof execute>[1]): unknown => {
        const before = state.position;
        const decision = decide(state, noHistory, command, NOW_MS);
        const result = execute(state, command);
        if (state.position > before) facts.push(structuredClone(decision as Fact));
        return result;
      };
      const begun = canonicalTables(state);
      const percents = new Map<number, number | null>();
      const listPrices = new Map<string, Price>();
      const ownPrices = new Map<string, Price>();
      const listOf = new Map<number, number>();
      const products = new Map<number, { price: Price; visibility: string }>();
      for (let id = 1; id <= LISTS; id += 1) {
        run({ kind: 'CreatePriceList', profile: { name: `list ${id}`, percent: null } });
        percents.set(id, null);
      }
      for (let id = 1; id <= PRODUCTS; id += 1)
        products.set(id, { price: { priceMicros: 2_000_000, priceTiers: [] }, visibility: 'all' });
      const put = (prices: Map<string, Price>, key: string, one: Price | null) =>
        one === null ? prices.delete(key) : prices.set(key, one);
      let bought = 0;
      for (const one of steps) {
        if ('gives' in one) {
          run({ kind: 'UpdateAccount', accountId: one.gives, changes: { priceListId: one.list } });
          if (one.list === null) listOf.delete(one.gives);
          else listOf.set(one.gives, one.list);
        } else if ('ofList' in one) {
          const prices = [{ productId: one.productId, price: one.price }];
          run({ kind: 'SetPrices', priceListId: one.ofList, prices });
          put(listPrices, `${one.ofList} ${one.productId}`, one.price);
        } else if ('own' in one) {
          const prices = [{ productId: one.productId, price: one.price }];
          run({ kind: 'SetPrices', accountId: one.own, prices });
          put(ownPrices, `${one.own} ${one.productId}`, one.price);
        } else if ('list' in one) {
          run({ kind: 'UpdatePriceList', priceListId: one.list, changes: { percent: one.percent } });
          percents.set(one.list, one.percent);
        } else if ('product' in one) {
          const visibility = one.visibility as 'all' | 'listed';
          run({ kind: 'UpdateProduct', productId: one.product, changes: { ...one.price, visibility } });
          products.set(one.product, { price: one.price, visibility });
        } else {
          const list = listOf.get(one.buys) ?? null;
          const own = ownPrices.get(`${one.buys} ${one.productId}`);
          const listed = list === null ? undefined : listPrices.get(`${list} ${one.productId}`);
          const steps = list === null ? null : (percents.get(list) ?? null);
          const product = products.get(one.productId);
          assert.ok(product !== undefined);
          const [rule, ruled] =
            own !== undefined
              ? (['account', own] as const)
              : listed !== undefined
                ? (['list', listed] as const)
                : steps !== null
                  ? (['percent', product.price] as const)
                  : (['product', product.price] as const);
          const total = Number(naiveTotal(ruled, one.quantity, rule === 'percent' ? steps : null));
          bought += 1;
          const purchase = { accountId: one.buys, productId: one.productId, quantity: one.quantity };
          const command = placeOrder({
            ...purchase,
            idempotencyKey: `k${bought}`,
            expectedPriceUsdt: total / 1e6,
          });
          const wrong = run({ ...command, idempotencyKey: `w${bought}`, expectedPriceUsdt: total / 1e6 + 1 });
          const right = run(command);
          if (product.visibility === 'listed' && own === undefined && listed === undefined) {
            assert.deepEqual([codeOf(wrong), codeOf(right)], ['NOT_FOUND', 'NOT_FOUND']);
            continue;
          }
          assert.ok(wrong instanceof Rejection);
          assert.deepEqual([wrong.code, wrong.currentPriceMicros], ['PRICE_CHANGED', total]);
          const { order } = right as PurchaseResult;
          const named = rule === 'list' || rule === 'percent' ? list : null;
          assert.deepEqual([order.totalMicros, order.priceRule, order.priceListId], [total, rule, named]);
          assert.deepEqual(state.orders.get(order.orderId), order);
        }
      }
      const replayed = worldState(WORLD);
      assert.deepEqual(canonicalTables(replayed), begun);
      for (const fact of facts) apply(replayed, fact);
      assert.deepEqual(canonicalTables(replayed), canonicalTables(state));
      for (let id = 1; id <= LISTS; id += 1) {
        const accounts = [...listOf.values()].filter((list) => list === id).length;
        assert.equal(state.priceLists.accountsOf(id), accounts);
        const prices = [...listPrices.keys()].filter((key) => key.startsWith(`${id} `)).length;
        assert.equal(state.listPrices.countOf(id), prices);
      }
    }),
    { numRuns: 60 },
  );
});

test('lists and prices have bounds, which the refusal names; what goes away makes room', () => {
  const state = worldState({ ...WORLD, products: MAX_OWN_PRICES + 1, stock: 0 });
  for (let count = 0; count < MAX_PRICE_LISTS; count += 1)
    apply(state, {
      kind: 'PriceListCreated',
      priceListId: count + 1,
      profile: { name: 'x', percent: null },
      atMs: NOW_MS,
    });
  const create = { kind: 'CreatePriceList', profile: { name: 'one more', percent: null } } as const;
  const refused = decide(state, noHistory, create, NOW_MS);
  assert.ok(refused instanceof Rejection);
  assert.match(refused.message, new RegExp(String(MAX_PRICE_LISTS)));
  execute(state, { kind: 'DeletePriceList', priceListId: 7 });
  assert.equal(codeOf(execute(state, create)), 'done');
  assert.equal(state.priceLists.get(7), undefined);
  const one: Price = { priceMicros: 10_000, priceTiers: [] };
  const prices = Array.from({ length: MAX_OWN_PRICES }, (_, at) => ({
    productId: at + 1,
    price: one,
    before: null,
  }));
  apply(state, { kind: 'PricesChanged', accountId: 1, prices, atMs: NOW_MS });
  const set = (productId: number, price: Price | null) =>
    decide(state, noHistory, { kind: 'SetPrices', accountId: 1, prices: [{ productId, price }] }, NOW_MS);
  assert.equal(codeOf(set(MAX_OWN_PRICES + 1, one)), 'BAD_REQUEST');
  assert.equal(codeOf(set(1, { ...one, priceMicros: 20_000 })), 'done');
  apply(state, set(2, null) as Fact);
  assert.equal(codeOf(set(MAX_OWN_PRICES + 1, one)), 'done');
  const many = prices.slice(0, MAX_PRICE_CHANGES + 1);
  assert.equal(
    codeOf(decide(state, noHistory, { kind: 'SetPrices', accountId: 1, prices: many }, NOW_MS)),
    'BAD_REQUEST',
  );
});

test('a price that is as it was leads to no fact, and one that is not says what it was', () => {
  const state = worldState(WORLD);
  const first: Price = { priceMicros: 10_000, priceTiers: [{ minQuantity: 2, priceMicros: 9_999 }] };
  const set = (price: Price | null) => {
    const command = { kind: 'SetPrices', accountId: 2, prices: [{ productId: 1, price }] } as const;
    const decision = decide(state, noHistory, command, NOW_MS);
    if ('atMs' in decision) apply(state, decision);
    return decision;
  };
  const changed = (before: Price | null, price: Price | null) => ({
    kind: 'PricesChanged',
    accountId: 2,
    prices: [{ productId: 1, price, before }],
    atMs: NOW_MS,
  });
  assert.deepEqual(set(first), changed(null, first));
  assert.deepEqual(set(structuredClone(first)), { changedPrices: 0 });
  assert.deepEqual(set({ ...first, priceTiers: [] }), changed(first, { ...first, priceTiers: [] }));
  assert.deepEqual(set(null), changed({ ...first, priceTiers: [] }, null));
  assert.deepEqual(set(null), { changedPrices: 0 });
  assert.deepEqual(
    canonicalTables(state).filter((line) => line.startsWith('accountPrices')),
    [],
  );
  assert.equal(new State().accountPrices.size, 0);
});
