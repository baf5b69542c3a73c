/** When suppliers are asked what they have, and what of their answers becomes a fact. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { apply } from '../../src/engine/apply.ts';
import type { Command } from '../../src/engine/command.ts';
import { answer, decide } from '../../src/engine/decide.ts';
import type { FactOf } from '../../src/engine/fact.ts';
import { noHistory } from '../../src/engine/history.ts';
import { MAX_STOCK_CHANGES } from '../../src/engine/limits.ts';
import { Rejection } from '../../src/engine/rejection.ts';
import type { State } from '../../src/engine/state.ts';
import {
  RECORD_INTERVAL_MS,
  type StockAnswer,
  SupplierStock,
  type SupplierStockOptions,
} from '../../src/suppliers/supplier-stock.ts';
import { NOW_MS, PRODUCT, worldState } from '../engine/commands.ts';

const REFRESH_MS = 10_000;

class Shop {
  readonly state: State = worldState({ accounts: 0, products: 0, balanceMicros: 0, stock: 0 });
  /** What became of each record: the products and what was recorded. */
  readonly recorded: string[] = [];
  readonly asked: string[] = [];
  /** By sku; a promise for a supplier that is slow. */
  readonly says: Record<string, StockAnswer | undefined | Promise<undefined>> = {};
  isFull = false;
  nowMs = 0;
  readonly stock = new SupplierStock({
    engine: { state: this.state, submit: this.submit.bind(this) },
    ask: async ({ sku }: { sku: string }) => {
      this.asked.push(sku);
      return this.says[sku];
    },
    refreshMs: REFRESH_MS,
    monotonicMs: () => this.nowMs,
  } as unknown as SupplierStockOptions);

  constructor() {
    for (let count = 0; count < 2; count += 1) {
      const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
      this.submit({ kind: 'CreateSupplier', profile });
    }
  }

  submit(command: Command, replyTo: (result: never) => void = () => undefined): void {
    if (this.isFull) return replyTo(new Rejection('INTERNAL_ERROR') as never);
    const decision = decide(this.state, noHistory, command, NOW_MS);
    if ('atMs' in decision) apply(this.state, decision);
    if ('kind' in decision && decision.kind === 'SupplierStockChanged') this.#note(decision);
    replyTo(answer(this.state, decision) as never);
  }

  #note({ changes }: FactOf<'SupplierStockChanged'>): void {
    this.recorded.push(changes.map(({ productId, available }) => `${productId}: ${available}`).join(', '));
  }

  /** Returns its id. */
  product(sku: string, supplierId = 1): number {
    this.submit({ kind: 'CreateProduct', profile: { ...PRODUCT, source: { supplierId, sku } } });
    return this.state.products.size;
  }

  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    mock.timers.tick(ms);
    await settle();
  }
}

/** Every answer and every record takes a few turns of promises. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2_000; turn += 1) await Promise.resolve();
}

let shop: Shop;
beforeEach(() => {
  mock.timers.enable({ apis: ['setInterval'] });
  shop = new Shop();
});
afterEach(() => {
  shop.stock.stop();
  mock.timers.reset();
});

test("a supplier's round is one fact, and products that it says nothing of stay as they are", async () => {
  for (const sku of ['a', 'b', 'c', 'd']) shop.product(sku);
  Object.assign(shop.says, { a: 3, b: 'unlimited', c: 0 });
  shop.stock.start();
  await settle();
  assert.deepEqual(shop.recorded, ['1: 3, 2: unlimited']);
  shop.says.a = undefined;
  await shop.pass(REFRESH_MS);
  assert.equal(shop.asked.length, 8);
  assert.equal(shop.recorded.length, 1);
});

test('a round of many products is several facts of a bounded size', async () => {
  for (let number = 0; number < MAX_STOCK_CHANGES + 10; number += 1) shop.product('a');
  shop.says.a = 5;
  shop.stock.start();
  await settle();
  assert.deepEqual(
    shop.recorded.map((fact) => fact.split(', ').length),
    [MAX_STOCK_CHANGES, 10],
  );
});

describe('how soon a change is recorded', () => {
  const cases: readonly [before: StockAnswer, after: StockAnswer, isAtOnce: boolean][] = [
    [12, 11, false],
    [12, 500, false],
    [12, 0, true],
    [12, 'unlimited', true],
    ['unlimited', 12, true],
    ['unlimited', 0, true],
    [0, 12, true],
    [0, 'unlimited', true],
  ];
  for (const [before, after, isAtOnce] of cases) {
    test(`from ${before} to ${after}: ${isAtOnce ? 'at once' : 'a minute after the last'}`, async () => {
      shop.product('a');
      shop.says.a = 1;
      shop.stock.start();
      await settle();
      shop.says.a = before === 0 || before === 'unlimited' ? before : 1;
      await shop.pass(REFRESH_MS);
      if (before === 12) {
        shop.says.a = 12;
        await shop.pass(RECORD_INTERVAL_MS);
      }
      const records = shop.recorded.length;
      shop.says.a = after;
      await shop.pass(REFRESH_MS);
      assert.equal(shop.recorded.length, records + Number(isAtOnce), shop.recorded.join('; '));
      await shop.pass(RECORD_INTERVAL_MS);
      assert.equal(shop.recorded.length, records + 1, shop.recorded.join('; '));
      assert.equal(shop.recorded.at(-1), `1: ${after}`);
    });
  }

  test('a number that is another one at every question is recorded once a minute', async () => {
    shop.product('a');
    shop.stock.start();
    await settle();
    for (let passedMs = 0; passedMs < 10 * RECORD_INTERVAL_MS; passedMs += REFRESH_MS) {
      shop.says.a = 1_000 + passedMs;
      await shop.pass(REFRESH_MS);
    }
    assert.equal(shop.asked.length, 61);
    // The last question is the first of the eleventh minute.
    assert.equal(shop.recorded.length, 11, shop.recorded.join('; '));
  });
});

test('what could not be recorded, because the disk is full, is recorded by the next round', async () => {
  shop.product('a');
  shop.says.a = 3;
  shop.isFull = true;
  shop.stock.start();
  await settle();
  shop.isFull = false;
  await shop.pass(REFRESH_MS);
  assert.deepEqual(shop.recorded, ['1: 3']);
});

describe('a product that appears', () => {
  test('is asked for before others that wait for a slow supplier, and once', async () => {
    let goOn: (none: undefined) => void = () => undefined;
    shop.says.slow = new Promise<undefined>((resolve) => {
      goOn = resolve;
    });
    for (let number = 0; number < 10; number += 1) shop.product('slow');
    shop.stock.start();
    await settle();
    assert.equal(shop.asked.length, 4, 'four at once');
    shop.says.new = 3;
    const productId = shop.product('new');
    shop.stock.look(productId);
    shop.stock.look(productId);
    goOn(undefined);
    await settle();
    assert.equal(shop.asked.indexOf('new'), 4);
    assert.equal(shop.asked.filter((sku) => sku === 'new').length, 1);
  });

  test('is asked for while another supplier is silent', async () => {
    shop.says.silent = new Promise(() => undefined);
    shop.product('silent', 2);
    shop.stock.start();
    await settle();
    shop.says.a = 3;
    shop.stock.look(shop.product('a'));
    await settle();
    assert.deepEqual(shop.recorded, ['2: 3']);
  });
});

test('a supplier that has changed is asked at once, and the number before stays until it answers', async () => {
  shop.product('a');
  shop.says.a = 3;
  shop.stock.start();
  await settle();
  shop.says.a = undefined;
  shop.submit({ kind: 'UpdateSupplier', supplierId: 1, changes: { url: 'http://elsewhere.example' } });
  shop.stock.look();
  await settle();
  assert.equal(shop.asked.length, 2);
  assert.equal(shop.state.products.get(1)?.suppliedStock, 3);
});

test('nothing is recorded after the end', async () => {
  let answered: (available: never) => void = () => undefined;
  shop.says.a = new Promise((resolve) => {
    answered = resolve;
  });
  shop.product('a');
  shop.stock.start();
  await settle();
  shop.stock.stop();
  answered(3 as never);
  await settle();
  assert.deepEqual(shop.recorded, []);
});
