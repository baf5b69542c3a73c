/** When suppliers are asked what they have, and what of their answers becomes a fact. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { apply } from '../../src/engine/apply/apply.ts';
import type { Command } from '../../src/engine/decide/command.ts';
import { answer, decide } from '../../src/engine/decide/decide.ts';
import { noHistory } from '../../src/engine/decide/history.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { FactOf } from '../../src/engine/fact.ts';
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
  /** The outcome of each record: the products and what was recorded. */
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
    this.submit({ kind: 'CreateProduct', profile: { ...PRODUCT, sources: [{ supplierId, sku }] } });
    return this.state.products.size;
  }

  /** A product with these sources, by sku and supplier. */
  sourced(...sources: readonly (readonly [sku: string, supplierId: number])[]): number {
    const all = sources.map(([sku, supplierId]) => ({ supplierId, sku }));
    this.submit({ kind: 'CreateProduct', profile: { ...PRODUCT, sources: all } });
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

for (const [before, after, isAtOnce] of [
  [12, 500, false],
  [12, 0, true],
  ['unlimited', 12, true],
  [0, 'unlimited', true],
] as const) {
  test(`a change from ${before} to ${after} is recorded ${isAtOnce ? 'at once' : 'a minute after the last'}`, async () => {
    shop.product('a');
    shop.says.a = 1;
    shop.stock.start();
    await settle();
    shop.says.a = before;
    await shop.pass(before === 12 ? RECORD_INTERVAL_MS : REFRESH_MS);
    const records = shop.recorded.length;
    shop.says.a = after;
    await shop.pass(REFRESH_MS);
    assert.equal(shop.recorded.length, records + Number(isAtOnce), shop.recorded.join('; '));
    await shop.pass(RECORD_INTERVAL_MS);
    assert.equal(shop.recorded.length, records + 1, shop.recorded.join('; '));
    assert.equal(shop.recorded.at(-1), `1: ${after}`);
  });
}

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

test('a product that appears is asked for once, though others wait for a slow supplier and another one is silent', async () => {
  let goOn: (none: undefined) => void = () => undefined;
  shop.says.silent = new Promise(() => undefined);
  shop.says.slow = new Promise<undefined>((resolve) => {
    goOn = resolve;
  });
  shop.product('silent', 2);
  for (let number = 0; number < 10; number += 1) shop.product('slow');
  shop.stock.start();
  await settle();
  assert.equal(shop.asked.length, 5, 'four at once of one');
  shop.says.new = 3;
  const productId = shop.product('new');
  shop.stock.look(productId);
  shop.stock.look(productId);
  goOn(undefined);
  await settle();
  assert.equal(shop.asked.indexOf('new'), 5);
  assert.equal(shop.asked.filter((sku) => sku === 'new').length, 1);
  assert.deepEqual(shop.recorded, [`${productId}: 3`]);
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

test('all sources of a product are asked, of one supplier too, and each has its figure', async () => {
  const productId = shop.sourced(['a', 1], ['b', 2], ['c', 1]);
  Object.assign(shop.says, { a: 3, b: 4, c: 5 });
  shop.stock.start();
  await settle();
  const stocks = () => shop.state.products.get(productId)?.sourceStocks;
  assert.deepEqual(
    [stocks(), shop.asked.toSorted()],
    [
      [3, 4, 5],
      ['a', 'b', 'c'],
    ],
  );
  shop.says.c = 0;
  await shop.pass(REFRESH_MS);
  assert.deepEqual([stocks(), shop.asked.length], [[3, 4, 0], 6]);
  const sources = [
    { supplierId: 2, sku: 'b' },
    { supplierId: 1, sku: 'd' },
  ];
  shop.says.d = 9;
  shop.submit({ kind: 'UpdateProduct', productId, changes: { sources } });
  shop.stock.look(productId);
  await settle();
  assert.deepEqual(stocks(), [4, 9]);
});
