/** Groups of catalog and stock: kept for every account, once, for 30 days; and what who reads them is told. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Fact } from '../../../src/engine/fact.ts';
import { eventNumber, isGroup } from '../../../src/persistence/webhooks/event-row.ts';
import { GroupReader } from '../../../src/persistence/webhooks/groups/group-reader.ts';
import { verifyOutbox } from '../../../src/persistence/webhooks/outbox-check.ts';
import { OutboxBatch, readRows } from '../../../src/persistence/webhooks/outbox-file.ts';
import { NO_GROUP } from '../../../src/persistence/webhooks/outbox-rows.ts';
import { OpenEventGroup } from '../../../src/webhooks/outbox/derivation/open-event-group.ts';
import { DAY_MS, HOUR_MS, statuses } from './outbox-looks.ts';
import { OutboxScene } from './outbox-scene.ts';
import { account, placed, productCreated, START_MS, stockAdded, webhookSet } from './shop-facts.ts';

let scene: OutboxScene;
describe('groups', () => {
  beforeEach(async () => {
    scene = await OutboxScene.open();
  });
  afterEach(() => scene.close());

  /** The products of the account's groups, as a reader finds them now. */
  function read(accountId: number, number = 0): string[] {
    const groups = new GroupReader(scene.store).behind(accountId, number);
    return [...groups]
      .filter(({ productIds }) => productIds.length > 0)
      .map(({ type, productIds }) => `${type} ${productIds}`);
  }

  const at = (fact: Fact): Fact => ({ ...fact, atMs: scene.wallMs });

  it('an account without a webhook is told what one beside it is told that has one, also of purchases', async () => {
    await scene.happen(
      account(1),
      account(2),
      webhookSet(1, { events: ['stock.changed', 'catalog.updated'] }),
    );
    await scene.happen(productCreated(4), placed(1, { accountId: 2, productId: 4, firstItem: 0 }));
    await scene.pass(2_000);
    assert.deepEqual(read(1), ['catalog.updated 4', 'stock.changed 4']);
    assert.deepEqual(read(2), read(1));
    assert.deepEqual(scene.told, read(1));
  });

  it('an account is told of what happens from its beginning on', async () => {
    await scene.happen(account(1), stockAdded(1));
    await scene.pass(2_000);
    await scene.happen(at(account(2)), at(stockAdded(2)));
    await scene.pass(2_000);
    assert.deepEqual([read(1), read(2)], [['stock.changed 1', 'stock.changed 2'], ['stock.changed 2']]);
  });

  it('groups up to the settled position are on disk after any pass, and none comes later', async () => {
    await scene.happen(account(1));
    const looks: { readonly settled: number; readonly groups: readonly number[] }[] = [];
    const numbers = () => Array.from(new GroupReader(scene.store).behind(1, 0), ({ number }) => number);
    for (let group = 0; group < 5; group += 1) {
      await scene.append([{ ...stockAdded(1 + group), atMs: START_MS + group * 2_000 }]);
      for (let pass = 0; pass < 3; pass += 1) {
        scene.outbox.pass();
        looks.push({ settled: scene.outbox.cursor.settled, groups: numbers() });
      }
    }
    await scene.pass(2_000);
    const all = numbers();
    assert.equal(all.length, 5);
    for (const { settled, groups } of looks) {
      const below = (one: number) => one < eventNumber(settled, 'catalog.updated', 1);
      assert.deepEqual(groups.filter(below), all.filter(below));
    }
    assert.equal(scene.outbox.cursor.settled, scene.position);
  });

  it('verify finds a group that is missing for an event, and one out of its order', async () => {
    await scene.happen(webhookSet(1), stockAdded(4));
    await scene.pass(2_000);
    const [row] = readRows(scene.store.file, 'groups');
    assert.ok(row);
    const [key, payload] = [Buffer.from(row.key), Buffer.from(row.payload)];
    const broken = [
      [/the products of event \d+ of account 1 are missing/, () => new OutboxBatch()],
      [
        /is out of its order/,
        (batch: OutboxBatch) => batch.put('groups', key, Buffer.concat([payload, payload])),
      ],
    ] as const;
    for (const [message, breaks] of broken) {
      const batch = new OutboxBatch();
      batch.remove('groups', key);
      breaks(batch);
      scene.store.commit(batch);
      await assert.rejects(verifyOutbox(scene.folder), message);
    }
    const batch = new OutboxBatch();
    batch.put('groups', key, payload);
    scene.store.commit(batch);
  });

  it('many groups take few rows, and a reader goes on behind any of them', async () => {
    const most = 300;
    await scene.happen(account(1));
    for (let group = 0; group < most; group += 1)
      await scene.append([{ ...stockAdded(1 + (group % 7)), atMs: START_MS + group * 2_000 }]);
    await scene.restart();
    await scene.pass(2_000);
    const all = [...new GroupReader(scene.store).behind(1, 0)];
    assert.equal(all.length, most);
    assert.ok(scene.store.file.tables.groups.getKeysCount({}) < 10);
    for (const index of [0, 1, 130, 298, 299]) {
      const { number = 0 } = all[index] ?? {};
      assert.deepEqual([...new GroupReader(scene.store).behind(1, number)], all.slice(index + 1));
      assert.deepEqual(new GroupReader(scene.store).told(1, number), all[index]);
      assert.ok(isGroup(number));
    }
  });

  it('groups go after 30 days, with all that they were read by, and a reader is told below which number', async () => {
    const listed = { visibility: 'listed' } as const;
    const price = { priceMicros: 1, priceTiers: [] };
    const named: Fact = {
      kind: 'PricesChanged',
      atMs: START_MS,
      accountId: 1,
      prices: [{ productId: 4, price, before: null }],
    };
    await scene.happen(account(1), productCreated(4, listed), named, stockAdded(4));
    await scene.pass(2_000);
    const first = read(1);
    assert.deepEqual(first, ['catalog.updated 4', 'stock.changed 4']);
    assert.equal(scene.store.goneBelow(), 0);
    await scene.pass(29 * DAY_MS);
    assert.deepEqual(read(1), first);
    await scene.happen(at(stockAdded(4)));
    await scene.pass(DAY_MS + 2 * HOUR_MS);
    assert.deepEqual(read(1), ['stock.changed 4', 'stock.changed 4'], 'a block goes as a whole');
    const [left] = new GroupReader(scene.store).behind(1, 0);
    const goneBelow = scene.store.goneBelow();
    assert.ok(goneBelow > 0 && goneBelow <= (left?.number ?? 0));
    await scene.pass(30 * DAY_MS);
    assert.deepEqual(read(1), []);
    for (const table of ['groups', 'pricingBefore'] as const)
      assert.equal(scene.store.file.tables[table].getKeysCount({}), 0, table);
  });

  it('an event whose group is gone is not sent any more, nor replayed', async () => {
    scene.receiver = () => new Promise(() => {});
    await scene.happen(webhookSet(1), stockAdded(4));
    await scene.pass(2_000);
    const [event] = await scene.history(1);
    const batch = new OutboxBatch();
    scene.store.putGoneBelow(batch, (event?.number ?? 0) + 1);
    scene.store.commit(batch);
    await scene.restart();
    await scene.work();
    assert.deepEqual([scene.sent.length, await statuses(scene)], [1, ['discarded']]);
    assert.equal(scene.outbox.replay(1, event?.number ?? 0), false);
  });

  it('a group of many lists closes before it is large, and accounts begin with what their list was told', () => {
    const fresh = () => new OpenEventGroup({ ...NO_GROUP, windowMs: 1_000 });
    const lists = fresh();
    for (let told = 0; told < 49_999; told += 1) lists.addOfList(told % 10, Math.floor(told / 10), START_MS);
    lists.addOfList(0, 0, START_MS);
    assert.equal(new OpenEventGroup(lists.row).isFull, false);
    lists.addOfList(11, 1, START_MS);
    for (const group of [lists, new OpenEventGroup(lists.row)]) assert.equal(group.isFull, true);
    lists.clear();
    assert.equal(lists.isFull, false);
    const accounts = fresh();
    for (let product = 0; product < 5_000; product += 1) accounts.addOfList(0, product, START_MS);
    for (let id = 1; id <= 9; id += 1) {
      assert.equal(accounts.isFull, false);
      accounts.watch(id, accounts.catalogOfList(0));
    }
    assert.equal(accounts.isFull, true);
  });
});
