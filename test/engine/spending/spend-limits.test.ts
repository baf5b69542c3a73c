/**
 * Random purchases of every kind, refunds and limits, while time moves over windows, with folds and starts between: each
 * answer is a naive ledger's, no limit is ever exceeded by an exact count, and a replay comes to the same.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { apply } from '../../../src/engine/apply/apply.ts';
import { brokenInvariants } from '../../../src/engine/apply/invariants.ts';
import {
  type CommandOf,
  PurchaseInProgress,
  type PurchaseResult,
} from '../../../src/engine/decide/command.ts';
import { Rejection } from '../../../src/engine/decide/rejection.ts';
import { NO_KEY, type Order } from '../../../src/engine/orders.ts';
import { epochBegun } from '../../../src/engine/recovery/epoch-begun.ts';
import type { SpendLimit } from '../../../src/engine/spending/spend-limit.ts';
import { State } from '../../../src/engine/state.ts';
import { NO_ORDER } from '../../../src/engine/supplying/supplier-purchases.ts';
import { canonicalTables } from '../../../src/persistence/state-tables.ts';
import { type Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { NOW_MS, PRODUCT, placeOrder, worldFacts } from '../commands.ts';
import { NaiveLedger } from './naive-ledger.ts';
import { SpendingShop } from './spending-shop.ts';

const STEPS = 2_500;
const ACCOUNTS = 3;
const [MANUAL, SUPPLIED] = [2, 3] as const;
/** An order of a gap, as a receipt has it. */
const LOST = {
  kind: 'RecoverOrder',
  productId: MANUAL,
  quantity: 2,
  expectedPriceUsdt: 4,
  recipientUsername: null,
  requestNumber: 0,
  totalMicros: 4_000_000,
  balanceAfterMicros: 0,
  fileId: null,
  textCount: 0,
  items: [],
} as const;
const HOURS = [1, 2, 24, 744] as const;
const HOUR_MS = 3_600_000;
/** Steps of a whole fold. */
const FOLD_STEPS = 3;

class Scene {
  readonly shop: SpendingShop;
  readonly #random: Random;
  readonly #ledger = new NaiveLedger();
  readonly #limits = new Map<number, readonly SpendLimit[]>();
  readonly #open: number[] = [];
  readonly #paid: number[] = [];
  readonly refused = { byLimit: 0, done: 0 };
  #key = 0;

  constructor(shop: SpendingShop, random: Random) {
    this.shop = shop;
    this.#random = random;
    const world = { accounts: ACCOUNTS, products: 1, balanceMicros: 1e12, stock: 1_000_000 };
    shop.record(worldFacts(world));
    shop.execute({ kind: 'CreateProduct', profile: { ...PRODUCT, type: 'manual' } });
    const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
    shop.execute({ kind: 'CreateSupplier', profile });
    const source = { supplierId: 1, sku: 'x' };
    shop.execute({ kind: 'CreateProduct', profile: { ...PRODUCT, sources: [source] } });
  }

  happen(): void {
    const random = this.#random;
    const step = random.next();
    if (step < 0.45) return this.#buy();
    if (step < 0.52) return this.#openOrder();
    if (step < 0.6) return this.#pay();
    if (step < 0.72) return this.#endHold();
    if (step < 0.8) return this.#refund();
    if (step < 0.84) return this.#fail();
    if (step < 0.87) return this.#setLimits();
    if (step < 0.89) return this.shop.foldStep();
    if (step < 0.893) return this.shop.restart();
    if (step < 0.895) return this.#restore();
    const stretch = random.pick([60_000, 60_000, 10 * 60_000, HOUR_MS, 5 * HOUR_MS, 48 * HOUR_MS]);
    this.shop.nowMs += random.between(1, stretch);
  }

  #buy(): void {
    const random = this.#random;
    const accountId = random.between(1, ACCOUNTS);
    const quantity = random.between(1, 4);
    this.#key += 1;
    const order = { accountId, quantity, productId: random.between(1, 3) };
    const totalMicros = quantity * PRODUCT.priceMicros;
    const asked = { ...order, idempotencyKey: `k${this.#key}`, expectedPriceUsdt: totalMicros / 1e6 };
    const result = this.shop.execute(placeOrder(asked));
    if (!this.#isJudged(accountId, totalMicros, result)) {
      assert.equal(this.shop.state.idempotency.purchase(accountId, asked.idempotencyKey), undefined);
      return;
    }
    if (result instanceof PurchaseInProgress) this.#hold(result);
    else this.#bought((result as PurchaseResult).order, this.shop.nowMs);
  }

  #openOrder(): void {
    const random = this.#random;
    const bought = { accountId: random.between(1, ACCOUNTS), productId: random.between(1, 3) };
    const opened = { ...bought, quantity: random.between(1, 4), recipientUsername: null, requestNumber: 0 };
    this.#open.push((this.shop.execute({ kind: 'OpenOrder', ...opened }) as Order).orderId);
  }

  #pay(): void {
    const [orderId] = this.#random.sample(this.#open, 1);
    const order = orderId === undefined ? undefined : this.shop.state.orders.get(orderId);
    // One that only the checkpoint has is paid, too; what it costs is known here from its command.
    const command = { kind: 'PayOrder', orderId: orderId ?? 0, expectedPriceUsdt: null } as const;
    if (orderId === undefined || this.shop.state.supplierPurchases.ofOrder(orderId) !== undefined) return;
    const known = order ?? this.#lookUp(orderId);
    const totalMicros = known.quantity * PRODUCT.priceMicros;
    const result = this.shop.execute(command);
    if (!this.#isJudged(known.accountId, totalMicros, result)) return;
    if (result instanceof PurchaseInProgress) return this.#hold(result);
    this.#open.splice(this.#open.indexOf(orderId), 1);
    this.#bought(result as Order, this.shop.nowMs);
  }

  #lookUp(orderId: number): Order {
    const fact = this.shop.facts.findLast((one) => 'order' in one && one.order.orderId === orderId);
    return (fact as { readonly order: Order }).order;
  }

  #hold({ supplierPurchase: { supplierPurchaseId, accountId, totalMicros } }: PurchaseInProgress): void {
    this.#ledger.holds.set(supplierPurchaseId, { accountId, amountMicros: totalMicros });
  }

  #endHold(): void {
    const [id] = this.#random.sample([...this.#ledger.holds.keys()], 1);
    const held = id === undefined ? undefined : this.shop.state.supplierPurchases.get(id);
    if (id === undefined || held === undefined) return;
    const of = { accountId: held.accountId, productId: SUPPLIED, supplierPurchaseId: id };
    this.#ledger.holds.delete(id);
    if (this.#random.chance(0.4)) {
      this.shop.execute({ kind: 'ReleaseHold', ...of, code: 'PURCHASE_FAILED', isUnresolved: false });
      return;
    }
    const order = this.shop.execute({ kind: 'CaptureHold', ...of }) as Order;
    if (held.orderId !== NO_ORDER) this.#open.splice(this.#open.indexOf(held.orderId), 1);
    this.#bought(order, this.shop.nowMs);
  }

  #bought({ orderId, accountId, totalMicros }: Order, atMs: number): void {
    this.#ledger.bought.set(orderId, { accountId, atMs, leftMicros: totalMicros });
    this.#paid.push(orderId);
  }

  #refund(): void {
    const [orderId] = this.#random.sample(this.#paid, 1);
    const bought = this.#ledger.bought.get(orderId ?? 0);
    if (orderId === undefined || bought === undefined || bought.leftMicros === 0) return;
    const amountMicros = this.#random.chance(0.5) ? this.#random.between(1, bought.leftMicros) : undefined;
    const asked = amountMicros === undefined ? {} : { amountMicros };
    const result = this.shop.execute({ kind: 'RefundOrder', orderId, ...asked });
    assert.ok(!(result instanceof Rejection), JSON.stringify(result));
    bought.leftMicros -= amountMicros ?? bought.leftMicros;
  }

  #fail(): void {
    const [orderId] = this.#random.sample(this.#paid, 1);
    const bought = this.#ledger.bought.get(orderId ?? 0);
    if (orderId === undefined || bought === undefined) return;
    const result = this.shop.execute({ kind: 'FailOrder', orderId });
    if (!(result instanceof Rejection)) bought.leftMicros = 0;
  }

  /** A restore, after which some orders of its gap come back: new ones, and a payment of one from the bot. */
  #restore(): void {
    const random = this.#random;
    const { shop } = this;
    const { lastOrderId, lastAtMs, epochs } = shop.state;
    shop.nowMs += random.between(1, 10 * 60_000);
    const { nowMs } = shop;
    const epoch = { epoch: epochs.current + 1, hash: 'ab', isComplete: false, nowMs };
    shop.record([epochBegun(shop.state, epoch)]);
    // The checkpoint has a higher number then than those that come back.
    this.#openOrder();
    for (let steps = 2 * FOLD_STEPS; steps > 0; steps -= 1) shop.foldStep();
    for (let lost = random.between(1, 4); lost > 0; lost -= 1) {
      const accountId = random.between(1, ACCOUNTS);
      const createdAtMs = random.between(lastAtMs, nowMs);
      this.#recover({
        ...LOST,
        orderId: lastOrderId + lost,
        accountId,
        createdAtMs,
        idempotencyKey: `l${lastOrderId + lost}`,
      });
      this.#bought(shop.state.orders.get(lastOrderId + lost) ?? assert.fail(), createdAtMs);
    }
    const unpaid = this.#open
      .map((orderId) => this.#lookUp(orderId))
      .find(
        ({ orderId, productId }) =>
          productId === MANUAL && shop.state.supplierPurchases.ofOrder(orderId) === undefined,
      );
    if (unpaid !== undefined) {
      const { orderId, accountId, quantity, createdAtMs } = unpaid;
      const totalMicros = quantity * PRODUCT.priceMicros;
      const asked = { orderId, accountId, quantity, createdAtMs, totalMicros, expectedPriceUsdt: 0 };
      this.#recover({ ...LOST, ...asked, idempotencyKey: NO_KEY });
      this.#open.splice(this.#open.indexOf(orderId), 1);
      this.#bought(shop.state.orders.get(orderId) ?? assert.fail(), nowMs);
    }
    this.#setLimits();
    assert.ok(!(shop.execute({ kind: 'OpenSales' }) instanceof Rejection));
  }

  #recover(command: CommandOf<'RecoverOrder'>): void {
    const result = this.shop.execute(command);
    assert.ok(!(result instanceof Rejection), JSON.stringify(result));
  }

  #setLimits(): void {
    const random = this.#random;
    const accountId = random.between(1, ACCOUNTS);
    const limits = random.sample(HOURS, random.between(0, 3)).map((windowHours) => ({
      windowHours,
      amountMicros: random.between(0, 40) * 1_000_000 * Math.ceil(Math.sqrt(windowHours)),
    }));
    this.shop.execute({ kind: 'UpdateAccount', accountId, changes: { spendLimits: limits } });
    this.#limits.set(accountId, limits);
  }

  /** Whether the purchase was made; both the answer and its wait must be the ledger's. */
  #isJudged(accountId: number, totalMicros: number, result: unknown): boolean {
    const limits = this.#limits.get(accountId) ?? [];
    const { nowMs } = this.shop;
    const allows = (how: 'exact' | 'buckets') =>
      this.#ledger.allows(accountId, limits, totalMicros, nowMs, how);
    if (!(result instanceof Rejection)) {
      assert.ok(allows('buckets'), `account ${accountId} bought beyond ${JSON.stringify(limits)}`);
      assert.ok(allows('exact'));
      this.refused.done += 1;
      return true;
    }
    assert.equal(result.code, 'RATE_LIMITED', result.message);
    assert.equal(allows('buckets'), false, `${result.message} ${JSON.stringify(limits)}`);
    const waits = this.#ledger.retryAfterSeconds(accountId, limits, totalMicros, nowMs);
    assert.equal(result.retryAfterSeconds, waits, result.message);
    this.refused.byLimit += 1;
    return false;
  }
}

test('limits are a naive ledger’s, whatever comes between, folds and starts included', async (context) => {
  const random = randomFromEnvironment();
  context.diagnostic(`PURSER_TEST_SEED=${random.seed}`);
  const folder = await createTemporaryFolder('spending');
  context.after(() => folder.remove());
  for (let round = roundsOr(1); round > 0; round -= 1) {
    const shop = new SpendingShop(join(folder.path, `round-${round}`), NOW_MS);
    const scene = new Scene(shop, random);
    for (let step = 0; step < STEPS; step += 1) scene.happen();
    assert.ok(scene.refused.byLimit > 50 && scene.refused.done > 50, JSON.stringify(scene.refused));
    assert.deepEqual(brokenInvariants(shop.state), []);
    const replayed = new State();
    for (const fact of shop.facts) apply(replayed, fact);
    assert.deepEqual(canonicalTables(shop.state), canonicalTables(replayed));
    shop.restart();
    assert.deepEqual(canonicalTables(shop.state), canonicalTables(replayed));
    shop.close();
  }
});
