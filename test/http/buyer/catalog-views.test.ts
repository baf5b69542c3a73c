/** The catalog as accounts see it: what it says, and that each text is made once for all who see it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account } from '../../../src/engine/accounts.ts';
import { apply } from '../../../src/engine/apply/apply.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import type { State } from '../../../src/engine/state.ts';
import { CatalogViews } from '../../../src/http/buyer/catalog-views.ts';
import { NOW_MS, PRODUCT, worldState } from '../../engine/commands.ts';

const WORLD = { accounts: 4, products: 3, balanceMicros: 0, stock: 5 };

function happen(state: State, ...facts: object[]): void {
  for (const fact of facts) apply(state, { ...fact, atMs: NOW_MS } as Fact);
}

const account = (accountId: number, priceListId?: number) => ({
  kind: 'AccountUpdated',
  accountId,
  profile: {
    name: 'x',
    rateLimitPerMinute: null,
    webhookConcurrency: 1,
    ...(priceListId === undefined ? {} : { priceListId }),
  },
});
const list = (priceListId: number, percent: number | null) => ({
  kind: 'PriceListCreated',
  priceListId,
  profile: { name: 'x', percent },
});
const price = (owner: object, productId: number, priceMicros: number) => ({
  kind: 'PricesChanged',
  ...owner,
  prices: [{ productId, price: { priceMicros, priceTiers: [] }, before: null }],
});

function scene() {
  const state = worldState(WORLD);
  happen(state, list(1, -5_000), list(2, null), account(1, 1), account(2, 1), account(3, 2));
  const views = new CatalogViews();
  const accountOf = (id: number): Account => state.accounts.get(id) ?? assert.fail(`no account ${id}`);
  const entries = (id: number) => views.of(state, accountOf(id));
  const shown = (id: number) =>
    entries(id).map((entry) => {
      const { id: productId, priceUsdt, availableStock } = JSON.parse(views.textOf(entry));
      return [productId, priceUsdt, availableStock];
    });
  return { state, views, entries, shown };
}

test('each account sees its own prices, what it can see, and the stock of now', () => {
  const { state, shown } = scene();
  happen(state, price({ priceListId: 2 }, 2, 3_000_000), price({ accountId: 3 }, 3, 4_000_000));
  happen(state, { kind: 'ProductUpdated', productId: 2, profile: { ...PRODUCT, visibility: 'listed' } });
  const half = [
    [1, 1, 5],
    [3, 1, 5],
  ];
  assert.deepEqual([shown(1), shown(2)], [half, half]);
  assert.deepEqual(shown(3), [
    [1, 2, 5],
    [2, 3, 5],
    [3, 4, 5],
  ]);
  happen(state, account(3), { kind: 'StockWithdrawn', productId: 1, ranges: [{ firstItem: 0, count: 2 }] });
  assert.deepEqual(shown(3), [
    [1, 2, 3],
    [3, 4, 5],
  ]);
  happen(state, price({ accountId: 3 }, 2, 1_000_000));
  assert.deepEqual(shown(3)[1], [2, 1, 5]);
});

test('a view is made once for all who have the list, and anew only in what has changed', () => {
  const { state, entries } = scene();
  const first = entries(1);
  assert.equal(entries(2), first);
  assert.equal(entries(1), first);
  assert.notEqual(entries(3), first);
  happen(state, { kind: 'ProductUpdated', productId: 2, profile: { ...PRODUCT, priceMicros: 6_000_000 } });
  const second = entries(2);
  assert.equal(entries(1), second);
  const isKept = second.map((entry, at) => entry === first[at]);
  assert.deepEqual(isKept, [true, false, true]);
});

test('an entry is the JSON of all that buyers see of it, in the order of the fields', () => {
  const { state, views, entries } = scene();
  const profile = { ...PRODUCT, name: 'A "card"', sku: 'c-1', attributes: { region: 'EU' }, minQuantity: 2 };
  happen(state, { kind: 'ProductUpdated', productId: 1, profile });
  const [entry] = entries(4);
  assert.ok(entry !== undefined);
  const said = {
    ...{ id: 1, name: 'A "card"', description: '', instructions: '', type: 'standard' },
    ...{ priceUsdt: 2, priceTiers: [], availableStock: 5, requiresRecipient: false, active: true },
    ...{ sku: 'c-1', category: null, attributes: { region: 'EU' }, imageUrl: null, minQuantity: 2 },
    maxQuantity: null,
  };
  assert.equal(views.textOf(entry), JSON.stringify(said));
});
