/**
 * Every peer that this machine has, on real HTTP with its real database: it sells as SPEC.md says, whoever asks at the
 * same time, what it acknowledged outlives kill -9, and the audit sees when it is broken on purpose.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LoadGenerator } from '../../../bench/load/load-generator.ts';
import { peerSystems } from '../../../bench/peers/peers.ts';
import type { RunningNode } from '../../../bench/running-node.ts';
import { windowShape } from '../../../bench/scenarios.ts';
import { Stage } from '../../../bench/stage.ts';
import type { System } from '../../../bench/system.ts';
import { Violations } from '../../../bench/violations.ts';
import { hotProduct } from '../../../bench/world.ts';
import { BuyerClient, type BuyerReply } from '../../support/buyer-client.ts';
import { OperatorClient, ok } from '../../support/operator-client.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const priceUsdt = 1.25;
const copies = 20;
/** Of HTTP. */
const processes = 2;

/** A node, and what is set up in it. */
class Scene {
  readonly #system: System;
  readonly #folder: string;
  #node: RunningNode;
  #buyer: BuyerClient;
  #operator: OperatorClient;
  #keys = 0;

  private constructor(system: System, folder: string, node: RunningNode) {
    this.#system = system;
    this.#folder = folder;
    this.#node = node;
    this.#buyer = new BuyerClient(node.buyerUrl);
    this.#operator = new OperatorClient(node.operatorUrl, node.operatorToken);
  }

  static async open(system: System, folder: string): Promise<Scene> {
    return new Scene(system, folder, await system.start({ folder, processes, broken: false }));
  }

  get isDurable(): boolean {
    return this.#system.durable;
  }

  get buyer(): BuyerClient {
    return this.#buyer;
  }

  async account(creditUsdt: number): Promise<string> {
    const { accountId = 0 } = await ok(this.#operator.createAccount({ name: 'A buyer' }));
    // Twice: the same reference credits once.
    await ok(this.#operator.credit(accountId, creditUsdt, 'start'));
    await ok(this.#operator.credit(accountId, creditUsdt, 'start'));
    return (await ok(this.#operator.issueKey(accountId))).apiKey ?? '';
  }

  async product(...items: readonly string[]): Promise<number> {
    const { productId = 0 } = await ok(this.#operator.createProduct({ name: 'A product', priceUsdt }));
    if (items.length > 0) await this.stock(productId, ...items);
    return productId;
  }

  async stock(productId: number, ...items: readonly string[]): Promise<void> {
    const { added } = await ok(this.#operator.addStock(productId, items));
    assert.equal(added, items.length);
  }

  buy(
    apiKey: string,
    productId: number,
    key = this.newKey(),
    expectedPriceUsdt = priceUsdt,
  ): Promise<BuyerReply> {
    return this.#buyer.purchase(apiKey, key, { productId, quantity: 1, expectedPriceUsdt });
  }

  newKey(): string {
    this.#keys += 1;
    return `key-${this.#keys}`;
  }

  async balance(apiKey: string): Promise<number | undefined> {
    return (await this.#buyer.balance(apiKey)).body.balanceUsdt;
  }

  async killAndStart(): Promise<void> {
    await this.#node.kill();
    this.#buyer.close();
    this.#node = await this.#system.start({ folder: this.#folder, processes, broken: false });
    this.#buyer = new BuyerClient(this.#node.buyerUrl);
    this.#operator = new OperatorClient(this.#node.operatorUrl, this.#node.operatorToken);
  }

  async close(): Promise<void> {
    this.#buyer.close();
    await this.#node.stop();
  }
}

function assertRefused({ status, body }: BuyerReply, expectedStatus: number, error: string): void {
  assert.deepEqual([status, body.error, body.success], [expectedStatus, error, false]);
}

/** Without what every answer has of its own. */
function essence({ status, body: { requestId: _, ...body } }: BuyerReply): unknown {
  return { status, body };
}

const cases: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'a purchase takes an item and its price, and can be fetched': async (scene) => {
    const apiKey = await scene.account(10);
    const productId = await scene.product('the item');
    const { status, headers, body } = await scene.buy(apiKey, productId);
    assert.equal(status, 201);
    const { requestId, orderId = 0, createdAt = 0, balanceAfterUsdt, ...order } = body;
    assert.deepEqual(order, {
      success: true,
      status: 'completed',
      productId,
      quantity: 1,
      totalPriceUsdt: priceUsdt,
      delivery: { items: ['the item'] },
    });
    assert.equal(balanceAfterUsdt, 8.75);
    assert.ok(Math.abs(createdAt - Date.now()) < 60_000);
    assert.equal(headers['x-request-id'], requestId);
    assert.equal(headers['cache-control'], 'no-store');
    assert.ok(Number(headers['content-length']) > 0);

    const fetched = await scene.buyer.order(apiKey, orderId);
    assert.deepEqual(essence(fetched), { status: 200, body: { ...order, orderId, createdAt } });
    assert.equal(await scene.balance(apiKey), 8.75);
    assertRefused(await scene.buyer.order(await scene.account(1), orderId), 404, 'NOT_FOUND');
    assertRefused(await scene.buyer.order('nobody', orderId), 401, 'UNAUTHORIZED');
  },

  [`${copies} copies of a key at once make one order, and get one answer`]: async (scene) => {
    const apiKey = await scene.account(1.25);
    // No second item, and no money for it: nothing but the key can answer the copies.
    const productId = await scene.product('only');
    const key = scene.newKey();
    const replies = await Promise.all(
      Array.from({ length: copies }, () => scene.buy(apiKey, productId, key)),
    );
    for (const reply of replies) assert.deepEqual(essence(reply), essence(replies[0] as BuyerReply));
    assert.equal(replies[0]?.status, 201);
    assert.equal(await scene.balance(apiKey), 0);
    assertRefused(await scene.buy(apiKey, productId, key, 2), 409, 'IDEMPOTENCY_CONFLICT');
  },

  'of 50 who want 10 items at once 10 win, each another item': async (scene) => {
    const apiKeys = await Promise.all(Array.from({ length: 50 }, () => scene.account(10)));
    const stock = Array.from({ length: 10 }, (_, index) => `item ${index}`);
    const productId = await scene.product(...stock);
    const replies = await Promise.all(apiKeys.map((apiKey) => scene.buy(apiKey, productId)));
    const won = replies.flatMap(({ body }) => body.delivery?.items ?? []);
    assert.deepEqual(won.sort(), stock);
    for (const reply of replies) if (reply.status !== 201) assertRefused(reply, 409, 'OUT_OF_STOCK');
    const balances = await Promise.all(apiKeys.map((apiKey) => scene.balance(apiKey)));
    assert.equal(balances.filter((balance) => balance === 8.75).length, 10);
    assert.equal(balances.filter((balance) => balance === 10).length, 40);
  },

  'what was acknowledged is there after kill -9 amid load, where it is durable': async (scene) => {
    const apiKey = await scene.account(1_000);
    const productId = await scene.product(...Array.from({ length: 200 }, (_, index) => `item ${index}`));
    const acknowledged = new Map<string, BuyerReply>();
    let killed: Promise<void> | undefined;
    const buyers = Array.from({ length: 8 }, async () => {
      for (let bought = 0; bought < 25; bought += 1) {
        const key = scene.newKey();
        const reply = await scene.buy(apiKey, productId, key);
        if (reply.status === 201) acknowledged.set(key, reply);
        if (acknowledged.size === 40) killed ??= scene.killAndStart();
      }
    });
    await Promise.allSettled(buyers);
    assert.ok(killed !== undefined && acknowledged.size >= 40);
    await killed;
    if (!scene.isDurable) return;
    for (const [key, reply] of acknowledged) {
      assert.deepEqual(essence(await scene.buy(apiKey, productId, key)), essence(reply));
    }
    const balance = (await scene.balance(apiKey)) ?? Number.NaN;
    assert.ok(balance <= 1_000 - acknowledged.size * priceUsdt, `${balance} USDT are left`);
  },
};

for (const system of peerSystems) {
  const skip = (await system.missing()) ?? false;

  test(system.name, { skip }, async (t) => {
    assert.match(await system.version(), /\d/);
    const folder = await createTemporaryFolder('peer');
    const scene = await Scene.open(system, folder.path);
    try {
      for (const [name, run] of Object.entries(cases)) await t.test(name, () => run(scene));
    } finally {
      await scene.close();
      await folder.remove();
    }
  });

  test(`${system.name}, broken on purpose, is seen by the audit`, { skip }, async () => {
    const violations = new Violations();
    const folder = await createTemporaryFolder('peer');
    const generator = LoadGenerator.start(1);
    const node = await system.start({ folder: folder.path, processes, broken: true });
    try {
      const stage = await Stage.open(node, generator, { seed: 1, violations, customers: 50 });
      await stage.stockUp(hotProduct, 10_000);
      const timing = { warmupMs: 100, measureMs: 900, contests: 1 };
      const task = { scenario: 'hot-product', connections: 32, timing } as const;
      await stage.run('hot-product', windowShape(task, stage.world, hotProduct));
      assert.match(violations.lines().join('\n'), /an item that was delivered before/);
    } finally {
      await generator.stop();
      await node.stop();
      await folder.remove();
    }
  });
}
