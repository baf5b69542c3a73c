/**
 * Any sequence of operator's, buyers' and suppliers' doings, for every type of product, answers as a naive shop does,
 * whatever part of the past lies in the checkpoint only; and a replay of the facts gives the same state.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { apply } from '../../src/engine/apply.ts';
import type { Command } from '../../src/engine/command.ts';
import { answer, decide } from '../../src/engine/decide.ts';
import type { Fact } from '../../src/engine/fact.ts';
import { type History, noHistory, orderOf } from '../../src/engine/history.ts';
import { brokenInvariants } from '../../src/engine/invariants.ts';
import { Rejection } from '../../src/engine/rejection.ts';
import { State } from '../../src/engine/state.ts';
import type { Stock } from '../../src/engine/stock.ts';
import { NO_ORDER } from '../../src/engine/supplier-purchases.ts';
import { canonicalTables } from '../../src/persistence/state-tables.ts';
import { roundsOr } from '../support/random.ts';
import { NOW_MS, PRODUCT, placeOrder, worldFacts } from './commands.ts';
import { FactHistory } from './fact-history.ts';
import { type NaiveAnswer, NaiveShop } from './naive-shop.ts';
import { plain, plainOrder } from './plain-answer.ts';

const WORLD = { accounts: 2, products: 2, balanceMicros: 10_000_000, stock: 3 };
const TYPES = ['standard', 'standard', 'file', 'manual', 'supplied'] as const;
const CODES = ['OUT_OF_STOCK', 'PURCHASE_FAILED', 'PROVIDER_TIMEOUT', 'IDEMPOTENCY_UNRESOLVED'] as const;

const account = fc.integer({ min: 1, max: 2 });
/** One more than there are. */
const product = fc.integer({ min: 1, max: TYPES.length + 1 });
const quantity = fc.integer({ min: 1, max: 3 });
const orderId = fc.integer({ min: 1, max: 8 });
const supplierPurchaseId = fc.integer({ min: 1, max: 6 });

/** Of refunds and replacements. */
const askKey = fc.constantFrom('i', 'j', 'k', 'l');
/** One more than an order has. */
const places = fc.constantFrom([0], [1], [2], [3], [0, 1], [1, 2], [0, 1, 2]);
const part = fc.oneof(
  fc.constant({}),
  fc.record({ amount: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ items: places }),
) as fc.Arbitrary<{ readonly amount?: number; readonly items?: readonly number[] }>;

const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('buy' as const),
      account,
      product,
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      quantity,
      expected: fc.constantFrom(2, 4, 6, 3),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('open' as const), account, product, quantity }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pay' as const), orderId }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('complete' as const),
      orderId,
      texts: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), orderId }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('refund' as const), orderId, key: askKey, part }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('replace' as const), orderId, key: askKey, places }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('credit' as const, 'add' as const, 'withdraw' as const, 'price' as const),
      account,
      product: fc.integer({ min: 1, max: 2 }),
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('file' as const), file: fc.constantFrom('x', 'y') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('capture' as const), supplierPurchaseId }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('release' as const),
      supplierPurchaseId,
      code: fc.constantFrom(...CODES),
      isUnresolved: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('reconcile' as const, 'end' as const, 'break' as const),
      supplierPurchaseId,
      items: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('recall' as const), lotId: fc.integer({ min: 1, max: 8 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('cut' as const, 'forget' as const) }) },
);

type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

/** The engine's state machine with a checkpoint, which holds what `cut` left to it once `forget` is called. */
class Shop {
  readonly state = new State();
  readonly facts: Fact[] = [];
  history: History = noHistory;
  #cutAt: number | undefined;
  #references = 0;

  constructor() {
    for (const fact of worldFacts(WORLD)) this.#record(fact);
    const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
    this.execute({ kind: 'CreateSupplier', profile });
    for (const type of TYPES.slice(WORLD.products)) {
      const ofType =
        type === 'supplied' ? { source: { supplierId: 1, sku: 'x' } } : ({ type } as { type: typeof type });
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

/** What both say to one operation; undefined where there is nothing to say. */
function perform(shop: Shop, model: NaiveShop, step: Operation): [unknown, NaiveAnswer] | undefined {
  switch (step.kind) {
    case 'buy': {
      const { account: accountId, key, product: productId, quantity: count, expected } = step;
      const asked = {
        accountId,
        idempotencyKey: key,
        productId,
        quantity: count,
        expectedPriceUsdt: expected,
      };
      return [shop.execute(placeOrder(asked)), model.buy(accountId, key, productId, count, expected)];
    }
    case 'open': {
      const { account: accountId, product: productId, quantity: count } = step;
      const order = { accountId, productId, quantity: count, recipientUsername: null, requestNumber: 0 };
      return [shop.execute({ kind: 'OpenOrder', ...order }), model.open(accountId, productId, count)];
    }
    case 'pay':
      return [
        shop.execute({ kind: 'PayOrder', orderId: step.orderId, expectedPriceUsdt: null }),
        model.pay(step.orderId),
      ];
    case 'complete':
      return [
        shop.execute({
          kind: 'CompleteOrder',
          orderId: step.orderId,
          textCount: step.texts,
          areTextsWritten: step.texts > 0,
        }),
        model.complete(step.orderId, step.texts),
      ];
    case 'fail':
      return [shop.execute({ kind: 'FailOrder', orderId: step.orderId }), model.fail(step.orderId)];
    case 'refund': {
      const { amount, ...items } = step.part;
      const asked = { ...(amount === undefined ? {} : { amountMicros: amount * 1e6 }), ...items };
      return [
        shop.execute({ kind: 'RefundOrder', orderId: step.orderId, key: step.key, ...asked }),
        model.refund(step.orderId, step.key, amount, step.part.items),
      ];
    }
    case 'replace': {
      const { key, places: items } = step;
      return [
        shop.execute({ kind: 'ReplaceItems', orderId: step.orderId, key, items }),
        model.replace(step.orderId, key, items),
      ];
    }
    case 'capture':
      return [
        shop.execute({ ...ofSupplierPurchase(step.supplierPurchaseId), kind: 'CaptureHold' }),
        model.capture(step.supplierPurchaseId),
      ];
    case 'release': {
      const { code, isUnresolved } = step;
      return [
        shop.execute({
          ...ofSupplierPurchase(step.supplierPurchaseId),
          kind: 'ReleaseHold',
          code,
          isUnresolved,
        }),
        model.release(step.supplierPurchaseId, code, isUnresolved),
      ];
    }
    case 'reconcile': {
      const firstItem = shop.state.stock.of(SUPPLIED).end;
      const found = {
        ...ofSupplierPurchase(step.supplierPurchaseId),
        result: 'delivered' as const,
        firstItem,
        count: step.items,
      };
      return [
        shop.execute({ ...found, delivered: step.items, kind: 'ReconcileSupplierPurchase' }),
        model.reconcile(step.supplierPurchaseId, step.items),
      ];
    }
    case 'end':
    case 'break':
      return endSupplierPurchase(shop, model, step);
    default:
      prepare(shop, model, step);
      return undefined;
  }
}

const SUPPLIED = TYPES.indexOf('supplied') + 1;

/** The account only says whose turn it is. */
function ofSupplierPurchase(supplierPurchase: number) {
  return { accountId: 1, productId: SUPPLIED, supplierPurchaseId: supplierPurchase };
}

/** A supplier that keeps its promise, or doesn't. */
function endSupplierPurchase(
  shop: Shop,
  model: NaiveShop,
  step: Extract<Operation, { kind: 'end' | 'break' | 'reconcile' }>,
): [unknown, NaiveAnswer] | undefined {
  const supplierPurchase = shop.state.supplierPurchases.get(step.supplierPurchaseId);
  if (
    supplierPurchase === undefined ||
    supplierPurchase.orderId === NO_ORDER ||
    supplierPurchase.phase === 'held'
  )
    return undefined;
  const ids = { orderId: supplierPurchase.orderId, supplierPurchaseId: step.supplierPurchaseId };
  const command: Command =
    step.kind === 'break'
      ? { kind: 'FailOrder', ...ids }
      : { kind: 'CompleteOrder', ...ids, textCount: step.items, areTextsWritten: true };
  const texts = step.kind === 'break' ? undefined : step.items;
  return [shop.execute(command), model.end(step.supplierPurchaseId, texts)];
}

function prepare(shop: Shop, model: NaiveShop, step: Operation): void {
  if (step.kind === 'cut') shop.cut();
  else if (step.kind === 'forget') shop.forget();
  else if (step.kind === 'recall') {
    const recalled = shop.execute({ kind: 'RecallLot', lotId: step.lotId });
    const said = recalled instanceof Rejection ? recalled.code : 'DONE';
    assert.equal(said, model.recall(step.lotId));
  } else if (step.kind === 'file') {
    const productId = TYPES.indexOf('file') + 1;
    const file = { fileId: step.file, sizeBytes: 1, contentType: 'text/plain', sha256: '' };
    shop.execute({ kind: 'SetProductFile', productId, file });
    for (const sold of model.products) if (sold.type === 'file') sold.file = step.file;
  } else if (step.kind === 'credit') {
    shop.credit(step.account, step.count);
    model.credit(step.account, step.count);
  } else if ('count' in step) {
    const { product: productId, count } = step;
    const naive = model.product(productId);
    if (step.kind === 'add') {
      const firstItem = shop.state.stock.of(productId).end;
      shop.execute({ kind: 'AddStock', productId, firstItem, count });
      model.upload(productId, count);
    } else if (step.kind === 'withdraw') {
      shop.execute({ kind: 'WithdrawStock', productId, count });
      naive?.shelf.splice(0, count);
    } else if (naive !== undefined) {
      shop.execute({ kind: 'UpdateProduct', productId, changes: { priceMicros: count * 1e6 } });
      naive.price = count;
    }
  }
}

test('the engine answers as a naive shop does, and its facts replay to the same state', () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 100, size: 'max' }), (operations) => {
      const shop = new Shop();
      const model = new NaiveShop({ 1: 10, 2: 10 }, TYPES, WORLD.stock);
      for (const step of operations) {
        const answers = perform(shop, model, step);
        if (answers !== undefined) assert.deepEqual(plain(answers[0], shop.state.stock), answers[1]);
        assert.deepEqual(brokenInvariants(shop.state), []);
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
    fc.property(fc.array(operation, { maxLength: 100, size: 'max' }), (operations) => {
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
