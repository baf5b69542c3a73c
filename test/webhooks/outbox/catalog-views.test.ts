/**
 * COMMERCE.md §3: `catalog.updated` goes to the accounts whose view changed and to no others, `stock.changed` to those who
 * can see the product; and the same journal gives the same events, wherever it is read on.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apply } from '../../../src/engine/apply/apply.ts';
import type { GroupType } from '../../../src/engine/events/own-events.ts';
import type { Fact } from '../../../src/engine/fact.ts';
import type { Price } from '../../../src/engine/pricing/price.ts';
import { isVisible, otherPrice, shownPrice } from '../../../src/engine/pricing/price-rule.ts';
import { isOnSale } from '../../../src/engine/products.ts';
import { State } from '../../../src/engine/state.ts';
import { NO_GROUP, type PricingRow } from '../../../src/persistence/webhooks/outbox-rows.ts';
import { EventDerivation } from '../../../src/webhooks/outbox/derivation/event-derivation.ts';
import { profile, START_MS, webhookSet } from './shop-facts.ts';

const ACCOUNTS = 4;
const PRODUCTS = 3;
const LISTS = 2;
const WINDOW_MS = 1_000;

/** What the outbox has on disk, as far as derivation begins with it. */
class Rows {
  readonly subscribers = new Map<number, never>();
  readonly looks = new Map<number, string>();
  readonly pricing = new Map<string, PricingRow>();
  readonly lists = new Map<string, readonly number[]>();
  readonly emitted: [accountId: number, type: GroupType, list: string][] = [];
  derivation: EventDerivation;

  constructor() {
    this.derivation = this.#begin(NO_GROUP);
  }

  /** Goes on with what is on disk. */
  restart(): void {
    this.derivation = this.#begin(structuredClone(this.derivation.group.row));
  }

  #begin(group: typeof NO_GROUP): EventDerivation {
    return new EventDerivation({
      sink: {
        emit: (accountId, _, content) => {
          if ('listNumber' in content)
            this.emitted.push([accountId, content.type, `${content.listNumber} ${content.variant}`]);
        },
        list: (name, productIds) => this.lists.set(`${name.listNumber} ${name.variant}`, productIds),
        subscriber: (accountId, subscriber) => this.subscribers.set(accountId, subscriber as never),
        cancel: () => {},
        look: (productId, text) => this.looks.set(productId, text),
        pricing: (row) => {
          const key = `${row.kind} ${row.a} ${row.b}`;
          if (row.value === undefined) this.pricing.delete(key);
          else this.pricing.set(key, structuredClone(row));
        },
        groupChanged: () => {},
      },
      subscribers: this.subscribers,
      looks: this.looks,
      pricing: this.pricing.values(),
      group,
    });
  }

  /** Takes the events that came up: of each account, the products by type. */
  take(): { readonly catalog: Map<number, number[]>; readonly stock: Map<number, number[]> } {
    const told = { catalog: new Map<number, number[]>(), stock: new Map<number, number[]>() };
    for (const [accountId, type, list] of this.emitted.splice(0))
      told[type === 'catalog.updated' ? 'catalog' : 'stock'].set(accountId, [
        ...(this.lists.get(list) ?? []),
      ]);
    return told;
  }
}

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
/** Groups of changes; between changes there may be another start. */
const groups = fc.array(
  fc.array(fc.record({ change, restarts: fc.boolean() }), { minLength: 1, maxLength: 6 }),
  {
    minLength: 1,
    maxLength: 8,
  },
);

function viewOf(state: State, account: number, product: number): string | undefined {
  const [buyer, bought] = [state.accounts.get(account), state.products.get(product)];
  assert.ok(buyer !== undefined && bought !== undefined);
  if (!isOnSale(bought) || !isVisible(state, buyer, bought)) return undefined;
  const { name, instructions } = bought.profile;
  const { priceMicros, priceTiers } = shownPrice(otherPrice(state, buyer, bought), bought);
  return JSON.stringify([name, instructions, priceMicros, priceTiers]);
}

test('accounts are told of what they see another way, and of stock that they see; groups, restarts and order hold', () => {
  fc.assert(
    fc.property(groups, (all) => {
      const state = new State();
      const rows = new Rows();
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
      rows.emitted.splice(0);
      for (const group of all) {
        atMs += 2 * WINDOW_MS;
        const changed = new Map<number, number[]>();
        const stock: number[] = [];
        for (const { change: one, restarts } of group) {
          if (restarts) rows.restart();
          const before = Array.from({ length: ACCOUNTS }, (_, a) =>
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
            stock.splice(0, stock.length, ...stock.filter((id) => id !== one.stock), one.stock);
          }
          for (let a = 1; a < ACCOUNTS; a += 1)
            for (let p = 1; p <= PRODUCTS; p += 1) {
              if (viewOf(state, a, p) === before[a - 1]?.[p - 1]) continue;
              changed.set(a, [...(changed.get(a) ?? []).filter((id) => id !== p), p]);
            }
        }
        happen({ kind: 'EventGroupClosed', windowMs: WINDOW_MS });
        const told = rows.take();
        const sorted = (products: Map<number, number[]>) =>
          [...products].map(([id, ids]) => [id, [...ids].sort()]).sort();
        assert.deepEqual(sorted(told.catalog), sorted(changed));
        const seen = new Map<number, number[]>();
        for (let a = 1; a < ACCOUNTS; a += 1) {
          const visible = stock.filter((id) => {
            const [buyer, product] = [state.accounts.get(a), state.products.get(id)];
            return buyer !== undefined && product !== undefined && isVisible(state, buyer, product);
          });
          if (visible.length > 0) seen.set(a, visible);
        }
        assert.deepEqual([...told.stock].sort(), [...seen].sort());
      }
    }),
    { numRuns: 150 },
  );
});

test('a subscriber with a price list reads on after a start as if there had been none', () => {
  const rows = new Rows();
  const happen = (position: number, fact: object) =>
    rows.derivation.add({ atMs: START_MS, ...fact } as Fact, position);
  happen(1, { kind: 'PriceListCreated', priceListId: 1, profile: { name: 'x', percent: null } });
  happen(2, { kind: 'ProductCreated', productId: 1, profile: profile() });
  const own = { name: 'x', rateLimitPerMinute: null, webhookConcurrency: 1, priceListId: 1 };
  happen(3, { kind: 'AccountCreated', accountId: 2, profile: own });
  happen(4, webhookSet(1));
  happen(5, webhookSet(2));
  const half = { priceListId: 1, profile: { name: 'x', percent: -5_000 }, before: { percent: null } };
  happen(6, { kind: 'PriceListUpdated', ...half });
  rows.restart();
  assert.equal(rows.derivation.group.isEmpty, false);
  happen(7, { kind: 'EventGroupClosed', windowMs: WINDOW_MS });
  assert.deepEqual([...rows.take().catalog], [[2, [1]]]);
});
