/**
 * COMMERCE.md §3: `catalog.updated` goes to the accounts whose view changed and to no others, `stock.changed` to those who
 * can see the product; and the same journal gives the same events, wherever it is read on.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { apply } from '../../../src/engine/apply/apply.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import type { Price } from '../../../src/engine/pricing/price.ts';
import { isVisible, otherPrice, shownPrice } from '../../../src/engine/pricing/price-rule.ts';
import { isOnSale } from '../../../src/engine/products.ts';
import { State } from '../../../src/engine/state.ts';
import { createEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../../src/persistence/webhooks/outbox-store.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { DerivedRows } from './derived-rows.ts';
import { profile, START_MS, webhookSet } from './shop-facts.ts';

const ACCOUNTS = 4;
const PRODUCTS = 3;
const LISTS = 2;
const WINDOW_MS = 1_000;

let folder: TemporaryFolder;
let store: OutboxStore;
describe('views of the catalog', () => {
  before(async () => {
    folder = await createTemporaryFolder('views');
    await createEnvironment(join(folder.path, OUTBOX_FILE), OUTBOX_TABLES);
    store = OutboxStore.open(folder.path);
  });
  after(async () => {
    await store.close();
    await folder.remove();
  });

  const price: fc.Arbitrary<Price> = fc.record({
    priceMicros: fc.constantFrom(1_000_000, 2_000_000),
    priceTiers: fc.constantFrom([], [{ minQuantity: 5, priceMicros: 900_000 }]),
  });
  const accountId = fc.integer({ min: 1, max: ACCOUNTS });
  const productId = fc.integer({ min: 1, max: PRODUCTS });
  const priceListId = fc.integer({ min: 1, max: LISTS });
  const change = fc.oneof(
    fc.record({ percent: fc.constantFrom(null, 0, -5_000), list: priceListId }),
    fc.record({ ofList: priceListId, productId, price: fc.option(price) }),
    fc.record({ own: accountId, productId, price: fc.option(price) }),
    fc.record({ gives: accountId, list: fc.option(priceListId) }),
    fc.record({
      product: productId,
      price,
      visibility: fc.constantFrom('all' as const, 'listed' as const),
      active: fc.constantFrom(true, true, false),
      instructions: fc.constantFrom('', 'new'),
    }),
    fc.record({ stock: productId }),
  );
  /** Groups of changes, before which there may be a new account; between changes there may be another start. */
  const groups = fc.array(
    fc.record({
      created: fc.option(fc.record({ list: fc.option(priceListId) })),
      changes: fc.array(fc.record({ change, restarts: fc.nat(5).map((chance) => chance === 0) }), {
        minLength: 1,
        maxLength: 6,
      }),
    }),
    { minLength: 1, maxLength: 8 },
  );

  function viewOf(state: State, account: number, product: number): string | undefined {
    const [buyer, bought] = [state.accounts.get(account), state.products.get(product)];
    assert.ok(buyer !== undefined && bought !== undefined);
    if (!isOnSale(bought) || !isVisible(state, buyer, bought)) return undefined;
    const { name, instructions } = bought.profile;
    const { priceMicros, priceTiers } = shownPrice(otherPrice(state, buyer, bought), bought);
    return JSON.stringify([name, instructions, priceMicros, priceTiers]);
  }

  test('accounts are told of what they see another way, and of stock that they see, with a webhook or by a reader', () => {
    fc.assert(
      fc.property(groups, (all) => {
        const state = new State();
        const rows = new DerivedRows(store);
        let position = 0;
        let atMs = START_MS;
        const happen = (...facts: object[]): void => {
          for (const fact of facts) {
            const one = { ...fact, atMs } as Fact;
            position += 1;
            // The stock of products is none of the state's business here.
            if (one.kind !== 'StockWithdrawn' && one.kind !== 'EventGroupClosed') apply(state, one);
            rows.derivation.add(one, position);
          }
        };
        const account = (id: number, list?: number) => ({
          accountId: id,
          profile: {
            name: 'x',
            rateLimitPerMinute: null,
            webhookConcurrency: 1,
            ...(list === undefined ? {} : { priceListId: list }),
          },
        });
        for (let id = 1; id <= LISTS; id += 1)
          happen({ kind: 'PriceListCreated', priceListId: id, profile: { name: 'x', percent: null } });
        for (let id = 1; id <= ACCOUNTS; id += 1) happen({ kind: 'AccountCreated', ...account(id) });
        for (let id = 1; id <= PRODUCTS; id += 1)
          happen({ kind: 'ProductCreated', productId: id, profile: profile() });
        // The last one has no webhook, and is told nothing.
        for (let id = 1; id < ACCOUNTS; id += 1) happen(webhookSet(id));
        happen({ kind: 'EventGroupClosed', windowMs: WINDOW_MS });
        rows.take();
        const begun = Array.from(
          { length: ACCOUNTS },
          (_, index) => rows.read(index + 1).at(-1)?.number ?? 0,
        );
        /** By account: the products of each group, by type. */
        const groupsOf = begun.map(() => [] as (readonly number[])[]);
        for (const { created, changes } of all) {
          atMs += 2 * WINDOW_MS;
          if (created !== null) {
            begun.push(0);
            groupsOf.push([]);
            happen({ kind: 'AccountCreated', ...account(begun.length, created.list ?? undefined) });
          }
          const changed = new Map<number, number[]>();
          const stock: number[] = [];
          for (const { change: one, restarts } of changes) {
            if (restarts) rows.restart();
            const before = begun.map((_, a) =>
              Array.from({ length: PRODUCTS }, (_product, p) => viewOf(state, a + 1, p + 1)),
            );
            const prices = (id: number, set: Price | null) => [{ productId: id, price: set, before: null }];
            if ('percent' in one) {
              const { percent, list } = one;
              const old = state.priceLists.get(list)?.profile.percent ?? null;
              const named = percent === old ? {} : { before: { percent: old } };
              happen({
                kind: 'PriceListUpdated',
                priceListId: list,
                profile: { name: 'x', percent },
                ...named,
              });
            } else if ('ofList' in one) {
              happen({
                kind: 'PricesChanged',
                priceListId: one.ofList,
                prices: prices(one.productId, one.price),
              });
            } else if ('own' in one) {
              happen({ kind: 'PricesChanged', accountId: one.own, prices: prices(one.productId, one.price) });
            } else if ('gives' in one) {
              happen({ kind: 'AccountUpdated', ...account(one.gives, one.list ?? undefined) });
            } else if ('product' in one) {
              const { product, price: set, ...other } = one;
              happen({ kind: 'ProductUpdated', productId: product, profile: profile({ ...set, ...other }) });
            } else {
              happen({ kind: 'StockWithdrawn', productId: one.stock, ranges: [{ firstItem: 0, count: 1 }] });
              const product = state.products.get(one.stock);
              if (product !== undefined && isOnSale(product))
                stock.splice(0, stock.length, ...stock.filter((id) => id !== one.stock), one.stock);
            }
            for (let a = 1; a <= begun.length; a += 1)
              for (let p = 1; p <= PRODUCTS; p += 1) {
                if (viewOf(state, a, p) === before[a - 1]?.[p - 1]) continue;
                changed.set(a, [...(changed.get(a) ?? []).filter((id) => id !== p), p]);
              }
          }
          happen({ kind: 'EventGroupClosed', windowMs: WINDOW_MS });
          const told = rows.take();
          const seen = new Map<number, number[]>();
          for (let a = 1; a <= begun.length; a += 1) {
            const visible = stock.filter((id) => {
              const [buyer, product] = [state.accounts.get(a), state.products.get(id)];
              return buyer !== undefined && product !== undefined && isVisible(state, buyer, product);
            });
            if (visible.length > 0) seen.set(a, visible);
            for (const products of [changed.get(a), seen.get(a)])
              if (products !== undefined) groupsOf[a - 1]?.push([...products].sort());
          }
          const ofSubscribers = (products: Map<number, number[]>) =>
            [...products]
              .filter(([id]) => id < ACCOUNTS)
              .map(([id, ids]) => [id, [...ids].sort()])
              .sort();
          assert.deepEqual(ofSubscribers(told.catalog), ofSubscribers(changed));
          assert.deepEqual([...told.stock].sort(), [...seen].filter(([id]) => id < ACCOUNTS).sort());
        }
        // At the end, when prices and lists are others than they were when most groups came up.
        for (const [index, expected] of groupsOf.entries()) {
          const read = rows.read(index + 1, begun[index]);
          assert.deepEqual(
            read.map(({ productIds }) => [...productIds].sort()),
            expected,
            `account ${index + 1}`,
          );
          for (const [at, { number }] of read.entries())
            assert.deepEqual(rows.read(index + 1, number), read.slice(at + 1));
        }
      }),
      { numRuns: 150 },
    );
  });

  test('a subscriber with a price list reads on after a start as if there had been none', () => {
    const rows = new DerivedRows(store);
    const happen = (position: number, fact: object) =>
      rows.derivation.add({ atMs: START_MS, ...fact } as Fact, position);
    happen(1, { kind: 'PriceListCreated', priceListId: 1, profile: { name: 'x', percent: null } });
    happen(2, { kind: 'ProductCreated', productId: 1, profile: profile() });
    const own = { name: 'x', rateLimitPerMinute: null, webhookConcurrency: 1, priceListId: 1 };
    happen(3, { kind: 'AccountCreated', accountId: 2, profile: own });
    happen(4, webhookSet(1));
    happen(5, webhookSet(2));
    happen(6, { kind: 'EventGroupClosed', windowMs: WINDOW_MS });
    rows.take();
    const half = { priceListId: 1, profile: { name: 'x', percent: -5_000 }, before: { percent: null } };
    happen(7, { kind: 'PriceListUpdated', ...half });
    rows.restart();
    assert.equal(rows.derivation.group.isEmpty, false);
    happen(8, { kind: 'EventGroupClosed', windowMs: WINDOW_MS });
    assert.deepEqual([...rows.take().catalog], [[2, [1]]]);
  });
});
