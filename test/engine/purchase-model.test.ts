/**
 * Any sequence of operator's and buyers' commands answers as a naive model does, and a replay of the facts
 * gives the same state. The model keeps lists and objects, shares no code with the engine, and is obviously
 * right or obviously wrong.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apply } from '../../src/engine/apply.ts';
import type { Command } from '../../src/engine/command.ts';
import { answer, decide } from '../../src/engine/decide.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { noHistory } from '../../src/engine/history.ts';
import { brokenInvariants } from '../../src/engine/invariants.ts';
import { Rejection } from '../../src/engine/rejection.ts';
import { State } from '../../src/engine/state.ts';
import { canonicalTables } from '../../src/persistence/state-tables.ts';
import { NOW_MS, worldFacts } from './commands.ts';

const WORLD = { accounts: 2, products: 2, balanceMicros: 10_000_000, stock: 3 };

interface ModelOrder {
  readonly items: number[];
  readonly balance: number;
}

class NaiveShop {
  readonly wallets = new Map([
    [1, 10],
    [2, 10],
  ]);
  readonly prices = new Map([
    [1, 2],
    [2, 2],
  ]);
  readonly shelves = new Map([
    [1, [0, 1, 2]],
    [2, [0, 1, 2]],
  ]);
  readonly made = new Map([
    [1, 3],
    [2, 3],
  ]);
  readonly stored = new Map<string, { request: string; outcome: string | ModelOrder }>();

  buy(
    account: number,
    key: string,
    product: number,
    quantity: number,
    expected: number,
  ): string | ModelOrder {
    const request = `${product} ${quantity} ${expected}`;
    const earlier = this.stored.get(`${account} ${key}`);
    if (earlier !== undefined) return earlier.request === request ? earlier.outcome : 'IDEMPOTENCY_CONFLICT';
    const outcome = this.#attempt(account, product, quantity, expected);
    if (outcome !== 'OUT_OF_STOCK') this.stored.set(`${account} ${key}`, { request, outcome });
    return outcome;
  }

  add(product: number, count: number): void {
    for (let added = 0; added < count; added += 1) {
      const item = this.made.get(product) ?? 0;
      this.shelves.get(product)?.push(item);
      this.made.set(product, item + 1);
    }
  }

  #attempt(account: number, product: number, quantity: number, expected: number): string | ModelOrder {
    const price = this.prices.get(product);
    const shelf = this.shelves.get(product);
    if (price === undefined || shelf === undefined) return 'NOT_FOUND';
    if (price * quantity !== expected) return 'PRICE_CHANGED';
    if (shelf.length < quantity) return 'OUT_OF_STOCK';
    const balance = (this.wallets.get(account) ?? 0) - price * quantity;
    if (balance < 0) return 'INSUFFICIENT_BALANCE';
    this.wallets.set(account, balance);
    return { items: shelf.splice(0, quantity), balance };
  }
}

const account = fc.integer({ min: 1, max: 2 });
const product = fc.integer({ min: 1, max: 3 });

const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('buy' as const),
      account,
      product,
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      quantity: fc.integer({ min: 1, max: 3 }),
      expected: fc.constantFrom(2, 4, 6, 3),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('credit' as const),
      account,
      amount: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      product,
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('withdraw' as const),
      product,
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('price' as const),
      product,
      price: fc.integer({ min: 1, max: 3 }),
    }),
  },
);

class Shop {
  readonly state = new State();
  readonly facts: Fact[] = [];
  #references = 0;

  constructor() {
    for (const fact of worldFacts(WORLD)) this.#record(fact);
  }

  execute(command: Command): unknown {
    const decision = decide(this.state, noHistory, command, NOW_MS);
    if ('atMs' in decision) this.#record(decision);
    return answer(this.state, decision);
  }

  buy(
    accountId: number,
    idempotencyKey: string,
    productId: number,
    quantity: number,
    expectedPriceUsdt: number,
  ) {
    const result = this.execute({
      kind: 'PlaceOrder',
      accountId,
      idempotencyKey,
      productId,
      quantity,
      expectedPriceUsdt,
      recipientUsername: null,
    });
    if (result instanceof Rejection) return result.code;
    const { order } = result as {
      order: { firstItem: number; quantity: number; balanceAfterMicros: number };
    };
    const items = Array.from({ length: order.quantity }, (_, index) => order.firstItem + index);
    return { items, balance: order.balanceAfterMicros / 1e6 };
  }

  credit(accountId: number, amount: number): void {
    this.#references += 1;
    const reference = `r${this.#references}`;
    this.execute({ kind: 'CreditWallet', accountId, reference, amountMicros: amount * 1e6 });
  }

  #record(fact: Fact): void {
    apply(this.state, fact);
    this.facts.push(fact);
  }
}

test('the engine answers as a naive shop does, and its facts replay to the same state', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
      const shop = new Shop();
      const model = new NaiveShop();
      for (const step of operations) {
        if (step.kind === 'buy') {
          const { account: buyer, key, product: wanted, quantity, expected } = step;
          assert.deepEqual(
            shop.buy(buyer, key, wanted, quantity, expected),
            model.buy(buyer, key, wanted, quantity, expected),
          );
        } else if (step.kind === 'credit') {
          shop.credit(step.account, step.amount);
          model.wallets.set(step.account, (model.wallets.get(step.account) ?? 0) + step.amount);
        } else if (!model.prices.has(step.product)) {
          continue;
        } else if (step.kind === 'add') {
          const firstItem = shop.state.stock.of(step.product).end;
          shop.execute({ kind: 'AddStock', productId: step.product, firstItem, count: step.count });
          model.add(step.product, step.count);
        } else if (step.kind === 'withdraw') {
          shop.execute({ kind: 'WithdrawStock', productId: step.product, count: step.count });
          model.shelves.get(step.product)?.splice(0, step.count);
        } else {
          const changes = { priceMicros: step.price * 1e6 };
          shop.execute({ kind: 'UpdateProduct', productId: step.product, changes });
          model.prices.set(step.product, step.price);
        }
        assert.deepEqual(brokenInvariants(shop.state), []);
      }
      const replayed = new State();
      for (const fact of shop.facts) apply(replayed, fact);
      assert.deepEqual(canonicalTables(replayed), canonicalTables(shop.state));
    }),
    { numRuns: 500 },
  );
});
