/**
 * A request with the key of a purchase that a supplier is delivering gets the answer of the first, also when it comes
 * in the very commit that makes the order; and a node that stops leaves deliveries for the next start, in silence.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../src/engine/apply/apply.ts';
import { PurchaseInProgress, type PurchaseResult } from '../../src/engine/decide/command.ts';
import { noHistory } from '../../src/engine/decide/history.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import { Engine } from '../../src/engine/loop/engine.ts';
import type { Order } from '../../src/engine/orders.ts';
import type { OrderFulfilment } from '../../src/fulfilment/order-fulfilment.ts';
import type { PurchaseAnswer } from '../../src/suppliers/supplier-port.ts';
import { SupplierPurchasing } from '../../src/suppliers/supplier-purchasing.ts';
import { NOW_MS, PRODUCT, placeOrder, worldState } from '../engine/commands.ts';

/** An engine whose commits end when they are told to, and a supplier that delivers when it is told to. */
class Scene {
  readonly faults: unknown[] = [];
  /** Suppliers, and the time that each was given. */
  readonly asked: [supplierId: number, withinMs: number][] = [];
  /** As `performance.now()` has it. */
  nowMs = 0.4;
  readonly engine: Engine;
  readonly purchasing: SupplierPurchasing;
  /** Deliveries whose texts are on their way to the disk. */
  writes: (() => void)[] = [];
  #commits: (() => void)[] = [];
  #supplied: ((answer: PurchaseAnswer) => void)[] = [];

  constructor() {
    const state = worldState({ accounts: 1, products: 0, balanceMicros: 9e14, stock: 0 });
    const supplier = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
    const sources = [1, 2, 3].map((supplierId) => ({ supplierId, sku: 'x' }));
    const profile = { ...PRODUCT, sources };
    for (const { supplierId } of sources)
      apply(state, { kind: 'SupplierCreated', supplierId, profile: supplier, atMs: NOW_MS });
    apply(state, { kind: 'ProductCreated', productId: 1, profile, atMs: NOW_MS });
    const onFault = (error: unknown) => void this.faults.push(error);
    this.engine = new Engine({
      state,
      history: noHistory,
      journal: { append: () => new Promise<void>((resolve) => this.#commits.push(resolve)) },
      clock: () => NOW_MS,
      defer: setImmediate,
      rebuild: () => assert.fail('a full disk'),
      roomAgain: () => Promise.resolve(),
      onFatal: onFault,
      onFault,
    });
    const fulfilment = {
      reservation: () => Promise.resolve(true),
      dropReservation: () => undefined,
      deliver: async (
        orderId: number,
        items: readonly string[],
        { supplierPurchaseId }: { supplierPurchaseId: number },
      ) => {
        await new Promise<void>((resolve) => this.writes.push(resolve));
        return await new Promise<Order | Rejection>((resolve) => {
          const textCount = items.length;
          const command = {
            kind: 'CompleteOrder',
            orderId,
            textCount,
            areTextsWritten: true,
            supplierPurchaseId,
          } as const;
          this.engine.submit(command, resolve);
        });
      },
    };
    this.purchasing = new SupplierPurchasing({
      engine: this.engine,
      fulfilment: fulfilment as unknown as OrderFulfilment,
      supplier: {
        purchase: ({ supplierId }, withinMs) => {
          this.asked.push([supplierId, withinMs]);
          return new Promise((resolve) => this.#supplied.push(resolve));
        },
        progress: () => assert.fail('nobody asks how it went'),
      },
      timeoutMs: 15_000,
      monotonicMs: () => this.nowMs,
      onDelivered: () => undefined,
      onFailure: () => undefined,
      onFault,
    });
  }

  /** As the buyers' route does it. */
  buy(idempotencyKey: string, told: (result: PurchaseResult | Rejection) => void): void {
    this.engine.submit(placeOrder({ idempotencyKey }), (result) => {
      if (result instanceof PurchaseInProgress) return this.purchasing.wait(result, told);
      const isPending = !(result instanceof Rejection) && result.order.status === 'pending_delivery';
      if (!isPending || !this.purchasing.waitForDelivery(result.order, told)) told(result);
    });
  }

  async turn(): Promise<void> {
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }

  async land(): Promise<void> {
    await this.turn();
    for (const end of this.#commits.splice(0)) end();
    await this.turn();
  }

  say(answer: PurchaseAnswer): void {
    for (const tell of this.#supplied.splice(0)) tell(answer);
  }

  supplierPurchase(): void {
    for (const [index, answer] of this.#supplied.splice(0).entries()) {
      answer({ kind: 'delivered', items: [`text ${index}`] });
    }
  }
}

test('a request that is decided in the commit of the order waits for its delivery like the first', async () => {
  const scene = new Scene();
  const answers: string[] = [];
  const tell = (who: string) => (result: PurchaseResult | Rejection) => {
    answers.push(`${who} ${result instanceof Rejection ? result.code : result.order.status}`);
  };
  scene.buy('key', tell('first'));
  await scene.land();
  scene.supplierPurchase();
  await scene.turn();
  // The order is made and its commit on its way: this request finds it, and is answered with the same commit.
  assert.equal(scene.engine.state.lastOrderId, 1);
  scene.buy('key', tell('second'));
  await scene.land();
  assert.deepEqual(answers, []);
  for (const end of scene.writes.splice(0)) end();
  await scene.land();
  assert.deepEqual(answers, ['first completed', 'second completed']);
  assert.deepEqual(scene.faults, []);
});

test('deliveries that wait for their turn when the node stops are pending orders, and no faults', async () => {
  const scene = new Scene();
  const count = 40;
  const answers: string[] = [];
  for (let index = 0; index < count; index += 1) {
    scene.buy(`key ${index}`, (result) => {
      answers.push(result instanceof Rejection ? result.code : result.order.status);
    });
  }
  await scene.land();
  scene.supplierPurchase();
  await scene.land();
  const underWay = scene.writes.length;
  assert.ok(underWay > 0 && underWay < count, `${underWay} are written at once`);
  const stopping = scene.purchasing.stop();
  for (const end of scene.writes.splice(0)) end();
  await scene.land();
  await stopping;
  const pending = answers.filter((answer) => answer === 'pending_delivery').length;
  const completed = answers.filter((answer) => answer === 'completed').length;
  assert.deepEqual([completed, pending], [underWay, count - underWay]);
  assert.deepEqual(scene.faults, []);
});

test('all sources have one time, nobody waits for two answers, and requests in between wait with the first', async () => {
  const scene = new Scene();
  const answers: string[] = [];
  const tell = (who: string) => (result: PurchaseResult | Rejection) => {
    answers.push(`${who} ${result instanceof Rejection ? result.code : result.order.status}`);
  };
  scene.buy('key', tell('first'));
  await scene.land();
  scene.nowMs += 4_000;
  scene.say({ kind: 'out_of_stock' });
  await scene.turn();
  // The hold is passed on, and its commit on its way: the next source is asked when it is durable.
  assert.equal(scene.engine.state.supplierPurchases.get(2)?.phase, 'held');
  scene.buy('key', tell('second'));
  await scene.turn();
  assert.deepEqual(scene.asked, [[1, 15_000]]);
  await scene.land();
  assert.deepEqual(scene.asked.slice(1), [[2, 11_000]]);
  assert.deepEqual([answers, scene.purchasing.underWay], [[], 1]);
  scene.nowMs += 6_000;
  scene.say({ kind: 'unreached', why: 'ECONNREFUSED' });
  await scene.land();
  assert.deepEqual(scene.asked.slice(2), [[3, 5_000]]);
  scene.say({ kind: 'pending' });
  await scene.land();
  assert.deepEqual(answers, ['first pending_delivery', 'second pending_delivery']);
  assert.deepEqual([scene.purchasing.underWay, scene.faults], [0, []]);
});

for (const [after, says, code] of [
  ['doubt', { kind: 'failed', why: 'garbage' }, 'PURCHASE_FAILED'],
  ['silence', { kind: 'timeout' }, 'PROVIDER_TIMEOUT'],
  ['two thirds of the time', { kind: 'out_of_stock' }, 'OUT_OF_STOCK'],
] as const) {
  test(`after ${after} no other source is asked`, async () => {
    const scene = new Scene();
    const answers: unknown[] = [];
    scene.buy('key', (result) => answers.push(result instanceof Rejection && result.code));
    await scene.land();
    if (says.kind === 'out_of_stock') scene.nowMs += 10_001;
    scene.say(says);
    await scene.land();
    assert.deepEqual([answers, scene.asked.length, scene.purchasing.underWay], [[code], 1, 0]);
  });
}

test('a node that stops while a hold passes on asks nobody more, and the next start finds the hold', async () => {
  const scene = new Scene();
  scene.buy('key', () => undefined);
  await scene.land();
  scene.say({ kind: 'out_of_stock' });
  await scene.turn();
  const stopped = scene.purchasing.stop();
  await scene.land();
  await stopped;
  assert.deepEqual([scene.asked.length, scene.engine.state.supplierPurchases.get(2)?.phase], [1, 'held']);
  assert.deepEqual(scene.faults, []);
});
