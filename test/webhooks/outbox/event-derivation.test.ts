/** Which facts give which events, to whom, with which body (SPEC.md §6). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Fact } from '../../../src/engine/fact.ts';
import type { ProductProfile } from '../../../src/engine/products.ts';
import { eventIdOf, parseEventId } from '../../../src/persistence/webhooks/event-body.ts';
import { OutboxScene } from './outbox-scene.ts';
import {
  account,
  changed,
  order,
  placed,
  productCreated,
  productUpdated,
  START_MS,
  stockAdded,
  webhookRemoved,
  webhookSet,
} from './shop-facts.ts';

const MICROS = 1_000_000;

let scene: OutboxScene;
beforeEach(async () => {
  scene = await OutboxScene.open();
});
afterEach(() => scene.close());

async function eventsOf(...facts: Fact[]): Promise<string[]> {
  await scene.happen(...facts);
  await scene.pass(2_000);
  return scene.told;
}

/** Asserts the events of these facts alone, each case in the scene as the one before left it. */
async function tellsOf(
  cases: readonly (readonly [what: string, facts: readonly Fact[], events: string[]])[],
) {
  for (const [what, facts, events] of cases) {
    scene.sent.length = 0;
    assert.deepEqual(await eventsOf(...facts), events, what);
  }
}

const file = { fileId: 'f'.repeat(32) };

it('an order tells that it is completed, or that it failed after it was paid, and what it took from stock', async () => {
  const pending = { status: 'pending_delivery' } as const;
  const none: string[] = [];
  await eventsOf(webhookSet(1));
  await tellsOf([
    ['a purchase that delivers at once', [placed(7, file)], ['order.completed 7']],
    ['one that delivers later', [placed(7, pending)], none],
    ['a pending order that is delivered', [changed('OrderDelivered', {})], ['order.completed 7']],
    ['an order from the bot that is paid', [changed('OrderPaid', file)], ['order.completed 7']],
    ['a pending order that fails', [changed('OrderFailed', { status: 'failed' })], ['order.failed 7']],
    ['one that failed before it was paid', [changed('OrderCancelled', { status: 'failed' })], none],
    ['a refund', [changed('OrderRefunded', { status: 'refunded' })], ['order.refunded 7']],
    [
      'new items in an order',
      [changed('OrderItemsReplaced', { productId: 3 })],
      ['order.items_replaced 7', 'stock.changed 3'],
    ],
    ['what a supplier delivered', [changed('OrderDelivered', { textCount: 2 })], ['order.completed 7']],
    [
      'items from stock',
      [placed(7, { firstItem: 0, productId: 3 })],
      ['order.completed 7', 'stock.changed 3'],
    ],
  ]);
});

describe('after a restore', () => {
  const fork = { position: 2, hash: 'ab' };
  const ids = {
    orderId: 8,
    supplierPurchaseId: 1,
    lotId: 1,
    accountId: 9,
    productId: 9,
    supplierId: 1,
    operatorId: 1,
    priceListId: 1,
    depositId: 1,
  };
  const begun: Fact = { kind: 'EpochBegun', epoch: 2, fork, gap: null, next: ids, atMs: START_MS };
  const recovered: Fact = {
    kind: 'OrderRecovered',
    order: order(7),
    items: [{ firstItem: 4, count: 1 }],
    debitMicros: 0,
    waitingMicros: 0,
    balanceMicros: 0,
    atMs: START_MS,
  };

  it('events of one position have other ids than in the epoch before, also after another start', async () => {
    const facts = [webhookSet(1), placed(1, file), placed(2, file)];
    await eventsOf(...facts);
    const before = scene.sent.map(({ eventId }) => eventId);
    await scene.close();
    scene = await OutboxScene.open();
    await scene.happen(webhookSet(1), placed(1, file), begun);
    await scene.restart();
    assert.deepEqual(await eventsOf(placed(2, file)), ['order.completed 1', 'order.completed 2']);
    const [first, second] = scene.sent.map(({ eventId }) => eventId);
    assert.equal(first, before[0]);
    assert.deepEqual([before[1], second], ['evt_00000000000018000001', 'evt_00100000000020000001']);
    assert.deepEqual(parseEventId(second ?? ''), { accountId: 1, number: 2 ** 44 + 32 });
  });

  it('a buyer is not told again of an order that was recovered, but of the stock', async () => {
    assert.deepEqual(await eventsOf(webhookSet(1), recovered), ['stock.changed 1']);
  });
});

it('a purchase that takes the balance below the threshold tells it, as its fact says', async () => {
  const low = { status: 'pending_delivery', balanceAfterMicros: 19.5 * MICROS } as const;
  const crosses = { ...placed(1, low), thresholdUsdt: 20 } as Fact;
  const captured = { ...crosses, kind: 'HoldCaptured', supplierPurchaseId: 1 } as Fact;
  await eventsOf(webhookSet(1));
  await tellsOf([
    ['a purchase', [crosses], ['balance.low 19.5']],
    ['a hold that is charged', [captured], ['balance.low 19.5']],
    ['a purchase that crosses nothing', [placed(1, low)], []],
  ]);
});

it('a credit tells it, and a debit does not', async () => {
  const credited = (amountMicros: number): Fact => ({
    kind: 'WalletCredited',
    atMs: START_MS,
    credit: { accountId: 1, reference: 'r', amountMicros, balanceAfterMicros: 7 * MICROS },
  });
  await eventsOf(webhookSet(1));
  await tellsOf([
    ['a credit', [credited(5 * MICROS)], ['balance.credited 7']],
    ['an adjustment downwards', [credited(-5)], []],
  ]);
});

describe('catalog.updated', () => {
  it('is sent for a change that buyers see', async () => {
    const cases: readonly [what: string, change: Partial<ProductProfile>, isTold: boolean][] = [
      ['nothing', {}, false],
      ['the name', { name: 'Other' }, true],
      ['the price', { priceMicros: 2 * MICROS }, true],
      ['the state', { active: false }, true],
      ['the instructions', { instructions: 'Other' }, true],
      ['what buyers do not see', { lowStock: 5 }, false],
    ];
    await eventsOf(webhookSet(1), productCreated(4));
    for (const [what, change, isTold] of cases) {
      await eventsOf(productUpdated(4, {}));
      await tellsOf([[what, [productUpdated(4, change)], isTold ? ['catalog.updated 4'] : []]]);
    }
  });

  it("is sent for a file product's first file, with which it goes on sale, and for no other", async () => {
    const set = (fileId: string): Fact => ({
      kind: 'ProductFileSet',
      atMs: START_MS,
      productId: 4,
      file: { fileId, sizeBytes: 1, contentType: 'text/plain', sha256: '' },
    });
    await eventsOf(webhookSet(1), productCreated(4, { type: 'file' }));
    assert.deepEqual(scene.told, []);
    assert.deepEqual(await eventsOf(set('a')), ['catalog.updated 4']);
    assert.equal((await eventsOf(set('b'))).length, 1);
  });
});

describe('stock.changed of what suppliers have', () => {
  const changes = [3, 1, 2].map((productId) => ({ productId, sku: 'x', available: 12 }));
  const changed = { kind: 'SupplierStockChanged', atMs: START_MS, supplierId: 1, changes } as const;

  it('is sent for what a supplier delivered after all, and not when it had nothing', async () => {
    const reconciled = (productId: number, count: number): Fact => ({
      kind: 'SupplierPurchaseReconciled',
      atMs: START_MS,
      supplierPurchaseId: productId,
      result: 'delivered',
      ended: { how: 'delivered' },
      delivered: 1,
      productId,
      firstItem: 0,
      count,
    });
    assert.deepEqual(await eventsOf(webhookSet(1), reconciled(1, 0), reconciled(2, 3)), ['stock.changed 2']);
  });

  it('is sent for all the products of the fact together', async () => {
    assert.deepEqual(await eventsOf(webhookSet(1), stockAdded(2), changed), ['stock.changed 3,1,2']);
  });

  it('is sent for a product whose supplier is another one, when the one before had some', async () => {
    await eventsOf(productCreated(4));
    await eventsOf(webhookSet(1));
    const same = productUpdated(4, {});
    assert.deepEqual(await eventsOf(same), []);
    assert.deepEqual(await eventsOf({ ...same, dropsSuppliedStock: true } as Fact), ['stock.changed 4']);
  });
});

describe('groups', () => {
  it('list each product once, the latest last', async () => {
    await eventsOf(webhookSet(1), ...[5, 6, 7, 5].map((productId) => stockAdded(productId)));
    const [sent] = scene.sent;
    assert.deepEqual(
      { productId: sent?.data.productId, productIds: sent?.data.productIds },
      { productId: 5, productIds: [6, 7, 5] },
    );
    assert.equal(scene.sent.length, 1);
  });

  it('go by the time of the facts when there is much to catch up with', async () => {
    const facts = [0, 400, 999, 1_000, 1_999, 2_000].map((ms, index) => stockAdded(index, START_MS + ms));
    assert.deepEqual(await eventsOf(webhookSet(1), ...facts), [
      'stock.changed 0,1,2',
      'stock.changed 3,4',
      'stock.changed 5',
    ]);
  });

  it('that are open grow after a restart, and reach subscribers after another, though nothing else happens', async () => {
    await scene.happen(webhookSet(1), stockAdded(1));
    await scene.restart();
    await scene.happen(stockAdded(2));
    await scene.restart();
    await scene.pass(2_000);
    assert.deepEqual(scene.told, ['stock.changed 1,2']);
  });

  it('are of one change each with a window of 0', async () => {
    const single = await OutboxScene.open({ windowMs: 0 });
    await single.happen(webhookSet(1));
    await single.happen(stockAdded(1), stockAdded(1), productCreated(2));
    assert.deepEqual(single.told, ['stock.changed 1', 'stock.changed 1', 'catalog.updated 2']);
    await single.close();
  });
});

describe('subscribers', () => {
  it('get the types that they named, and grouped ones all of them', async () => {
    await eventsOf(
      webhookSet(1, { events: ['order.completed'] }),
      webhookSet(2, { events: ['stock.changed'] }),
      webhookSet(3, { events: ['stock.changed', 'order.failed'] }),
      placed(1, { firstItem: 0 }),
    );
    assert.deepEqual(
      scene.sent.map(({ accountId, eventType }) => `${accountId} ${eventType}`),
      ['1 order.completed', '2 stock.changed', '3 stock.changed'],
    );
  });

  it('get what happens from then on, and nothing after they are gone', async () => {
    await eventsOf(placed(1), webhookSet(1), placed(2), webhookRemoved(1), placed(3));
    assert.deepEqual(scene.told, []);
    await eventsOf(webhookSet(1), placed(4));
    assert.deepEqual(scene.told, ['order.completed 4']);
  });

  it('have each their own event ids, which say where they come from', async () => {
    await eventsOf(account(1), account(2), webhookSet(1), webhookSet(2), stockAdded(1), placed(9));
    const ids = scene.sent.map(({ eventId }) => eventId);
    assert.equal(new Set(ids).size, 3);
    for (const { eventId, accountId } of scene.sent) {
      assert.match(eventId, /^evt_[0-9a-f]{20}$/);
      const name = parseEventId(eventId);
      assert.equal(name?.accountId, accountId);
      assert.equal(name === undefined ? '' : eventIdOf(name), eventId);
    }
  });
});
