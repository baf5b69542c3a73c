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
  readonly engine: Engine;
  readonly purchasing: SupplierPurchasing;
  /** Deliveries whose texts are on their way to the disk. */
  writes: (() => void)[] = [];
  #commits: (() => void)[] = [];
  #supplied: ((answer: PurchaseAnswer) => void)[] = [];

  constructor() {
    const state = worldState({ accounts: 1, products: 0, balanceMicros: 9e14, stock: 0 });
    const supplier = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
    const profile = { ...PRODUCT, sources: [{ supplierId: 1, sku: 'x' }] };
    apply(state, { kind: 'SupplierCreated', supplierId: 1, profile: supplier, atMs: NOW_MS });
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
        purchase: () => new Promise((resolve) => this.#supplied.push(resolve)),
        progress: () => assert.fail('nobody asks how it went'),
      },
      timeoutMs: 15_000,
      monotonicMs: () => 0,
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
