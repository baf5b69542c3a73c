/**
 * Any sequence of operator's, buyers' and suppliers' doings, for every type of product, answers as a naive shop does,
 * whatever part of the past lies in the checkpoint only; and a replay of the facts gives the same state.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apply } from '../../src/engine/apply/apply.ts';
import { brokenInvariants } from '../../src/engine/apply/invariants.ts';
import type { Command } from '../../src/engine/decide/command.ts';
import { answer, decide } from '../../src/engine/decide/decide.ts';
import { type History, noHistory, orderOf } from '../../src/engine/decide/history.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { State } from '../../src/engine/state.ts';
import type { Stock } from '../../src/engine/stock.ts';
import { NO_ORDER } from '../../src/engine/supplying/supplier-purchases.ts';
import { canonicalTables } from '../../src/persistence/state-tables.ts';
import { roundsOr } from '../support/random.ts';
import { NOW_MS, PRODUCT, worldFacts } from './commands.ts';
import { FactHistory } from './fact-history.ts';
import { inNaiveWords } from './model-command.ts';
import { type Step, SUPPLIED, steps, TYPES, WORLD } from './naive/purchase-steps.ts';
import { NaiveShop } from './naive-shop.ts';
import { plain, plainOrder } from './plain-answer.ts';

/** The engine's state machine with a checkpoint, which holds what `cut` left to it once `forget` is called. */
class Shop {
  readonly state = new State();
  readonly facts: Fact[] = [];
  history: History = noHistory;
  #cutAt: number | undefined;

  constructor() {
    for (const fact of worldFacts(WORLD)) this.#record(fact);
    const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
    this.execute({ kind: 'CreateSupplier', profile });
    for (const type of TYPES.slice(WORLD.products)) {
      const ofType =
        type === 'supplied'
          ? { sources: [{ supplierId: 1, sku: 'x' }] }
          : ({ type } as { type: typeof type });
      this.execute({ kind: 'CreateProduct', profile: { ...PRODUCT, ...ofType } });
    }
  }

  execute(command: Command): unknown {
    const decision = decide(this.state, this.history, command, NOW_MS);
    if ('atMs' in decision) this.#record(decision);
    return answer(this.state, decision);
  }

  cut(): void {
    if (this.#cutAt !== undefined) return;
    this.state.cut();
    this.#cutAt = this.facts.length;
  }

  forget(): void {
    if (this.#cutAt === undefined) return;
    this.history = new FactHistory(this.facts.slice(0, this.#cutAt));
    this.state.dropOlder();
    this.#cutAt = undefined;
  }

  #record(fact: Fact): void {
    apply(this.state, fact);
    this.facts.push(fact);
  }
}

/** The command of a step, by what the state has now; undefined where there is nothing to do. */
function commandOf({ state }: Shop, step: Exclude<Step, { folds: unknown }>): Command | undefined {
  if (!('does' in step)) return step;
  if (step.does === 'add') {
    const { productId: of, count: added } = step;
    return { kind: 'AddStock', productId: of, firstItem: state.stock.of(of).end, count: added };
  }
  if (step.does === 'reconcile') {
    const { supplierPurchaseId: id, count: delivered } = step;
    const ids = { accountId: 1, productId: SUPPLIED, supplierPurchaseId: id };
    const found = { firstItem: state.stock.of(SUPPLIED).end, count: delivered, delivered };
    return { kind: 'ReconcileSupplierPurchase', ...ids, result: 'delivered', ...found };
  }
  // A supplier keeps its promise, or doesn't.
  const promised = state.supplierPurchases.get(step.supplierPurchaseId);
  if (promised === undefined || promised.orderId === NO_ORDER || promised.phase === 'held') return undefined;
  const ids = { orderId: promised.orderId, supplierPurchaseId: step.supplierPurchaseId };
  if (step.does === 'break') return { kind: 'FailOrder', ...ids };
  return { kind: 'CompleteOrder', ...ids, textCount: step.count, areTextsWritten: true };
}

/** Both say the same. */
function perform(shop: Shop, model: NaiveShop, step: Step): void {
  if ('folds' in step) return shop[step.folds]();
  const command = commandOf(shop, step);
  if (command === undefined) return;
  const said = shop.execute(command);
  const expected = inNaiveWords(command)(model);
  const isDone = expected === 'DONE' && !(said instanceof Rejection);
  assert.deepEqual(isDone ? 'DONE' : plain(said, shop.state.stock), expected);
}

test('the engine answers as a naive shop does, and its facts replay to the same state', () => {
  fc.assert(
    fc.property(steps, (operations) => {
      const shop = new Shop();
      const model = new NaiveShop({ 1: 10, 2: 10 }, TYPES, WORLD.stock);
      for (const step of operations) {
        perform(shop, model, step);
        assert.deepEqual(brokenInvariants(shop.state), []);
        assertSamePurchases(shop.state.supplierPurchases, model);
      }
      for (const [index, naive] of model.orders.entries()) {
        const order = orderOf(shop.state, shop.history, index + 1);
        assert.ok(order);
        assert.deepEqual(plainOrder(order, shop.state.stock), naive);
      }
      for (const [index, { shelf }] of model.products.entries()) {
        assert.deepEqual(unsold(shop.state.stock, index + 1), shelf);
      }
      for (const [id, wallet] of Object.entries(model.wallets)) {
        const account = shop.state.accounts.get(Number(id));
        const held = model.held(Number(id)) * 1e6;
        assert.deepEqual([account?.walletMicros, account?.heldMicros], [wallet * 1e6, held]);
      }
      const replayed = new State();
      for (const fact of shop.facts) apply(replayed, fact);
      assert.deepEqual(canonicalTables(replayed), canonicalTables(shop.state));
    }),
    { numRuns: roundsOr(150) },
  );
});

test('the tables note every row that a fact changes', () => {
  fc.assert(
    fc.property(steps, (operations) => {
      const shop = new Shop();
      const model = new NaiveShop({ 1: 10, 2: 10 }, TYPES, WORLD.stock);
      for (const step of operations) perform(shop, model, step);
      const state = new State();
      for (const changed of Object.values(state.changed)) changed.collect();
      for (const fact of shop.facts) {
        const before = rowsOf(state);
        apply(state, fact);
        const after = rowsOf(state);
        const ids = [...before.keys(), ...after.keys()].filter((id) => before.get(id) !== after.get(id));
        const noted = Object.entries(state.changed).flatMap(([table, rows]) =>
          Array.from(rows.take(), (id) => `${table} ${id}`),
        );
        assert.deepEqual(
          ids.filter((id) => !noted.includes(id)),
          [],
          fact.kind,
        );
      }
    }),
    { numRuns: 30 },
  );
});

/**
 * Asserts that the open purchases at the supplier are the same, in the order of their numbers, and the counts that
 * limits are held against.
 */
function assertSamePurchases(table: State['supplierPurchases'], { supplierPurchases }: NaiveShop): void {
  const open = supplierPurchases.flatMap(({ phase }, at) =>
    phase === 'ended' ? [] : [`${at + 1} ${phase}`],
  );
  assert.deepEqual(
    Array.from(table.values(), (row) => `${row.supplierPurchaseId} ${row.phase}`),
    open,
  );
  const inPhase = (phase: string) => open.filter((row) => row.endsWith(phase)).length;
  assert.deepEqual(
    [table.openCountOf(1), table.heldCountOf(1), table.unresolvedCountOf(1), table.unresolvedCount],
    [open.length, inPhase('held'), inPhase('unresolved'), inPhase('unresolved')],
  );
}

/** The numbers of a product's items that are for sale. */
function unsold(stock: Stock, productId: number): number[] {
  const { next, end } = stock.of(productId);
  return stock
    .unsoldIn(productId, next, end - next)
    .flatMap(({ firstItem, count }) => Array.from({ length: count }, (_, at) => firstItem + at));
}

/** By table and id, as the checkpoint has them. */
function rowsOf({ accounts, products, stock, suppliers, supplierPurchases }: State): Map<string, string> {
  const rows: [string, unknown][] = [
    ...Array.from(accounts.values(), (row): [string, unknown] => [`accounts ${row.accountId}`, row]),
    ...Array.from(products.values(), (row): [string, unknown] => {
      const { productId } = row;
      return [`products ${productId}`, [row, stock.stored(productId)]];
    }),
    ...Array.from(suppliers.values(), (row): [string, unknown] => [`suppliers ${row.supplierId}`, row]),
    ...Array.from(supplierPurchases.values(), (row): [string, unknown] => [
      `supplierPurchases ${row.supplierPurchaseId}`,
      row,
    ]),
  ];
  return new Map(rows.map(([id, row]) => [id, JSON.stringify(row)]));
}
