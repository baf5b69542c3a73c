/**
 * A change that gives events to more accounts than one transaction takes: a crash between the first of them and the
 * last, which has the cursor, loses no event and invents none.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifyOutbox } from '../../../src/persistence/webhooks/outbox-check.ts';
import { OutboxScene } from './outbox-scene.ts';
import { account, stockAdded, webhookSet } from './shop-facts.ts';

const ACCOUNTS = Array.from({ length: 600 }, (_, index) => index + 1);
const CRASH = new Error('the process ends');

/** The store's next `commits` of a part go through; the process ends after the last of them. */
function crashAfterParts(scene: OutboxScene, parts: number): void {
  const { store } = scene;
  const reopen = store.reopen.bind(store);
  let left = parts;
  store.reopen = () => {
    left -= 1;
    if (left === 0) throw CRASH;
    reopen();
  };
}

async function eventsPerAccount(scene: OutboxScene): Promise<number[]> {
  const pages = await Promise.all(ACCOUNTS.map((accountId) => scene.history(accountId)));
  return pages.map((page) => page.length);
}

for (const parts of [1, 2]) {
  test(`a group that was about to be told, after ${parts} of 3 transactions`, async (t) => {
    const scene = await OutboxScene.open({ windowMs: 500 });
    t.after(() => scene.close());
    await scene.happen(...ACCOUNTS.flatMap((id) => [account(id, 1), webhookSet(id)]));
    await scene.happen(stockAdded(1));
    crashAfterParts(scene, parts);
    await assert.rejects(scene.pass(1_000), CRASH);
    assert.equal(scene.sent.length, 0, 'nothing is sent before all of it is on disk');
    assert.match(await verifyOutbox(scene.folder), /0 events/);

    await scene.restart();
    assert.equal(scene.store.hasEventsAhead, true);
    assert.deepEqual(new Set(await eventsPerAccount(scene)), new Set([0]), 'operators are not told of it');
    await scene.happen(stockAdded(2));
    assert.equal(scene.store.hasEventsAhead, false);
    assert.deepEqual(
      new Set(await eventsPerAccount(scene)),
      new Set([1]),
      'each has come up, and none twice',
    );
    assert.match(await verifyOutbox(scene.folder), /600 events/);

    await scene.pass(1_000);
    const told = ACCOUNTS.flatMap((accountId) => [`${accountId} 1`, `${accountId} 2`]);
    const sent = scene.sent.map(({ accountId, data }) => `${accountId} ${data.productIds}`);
    assert.deepEqual(sent.toSorted(), told.toSorted());
  });
}

test('accounts that nobody has heard of before the crash', async (t) => {
  const scene = await OutboxScene.open({ windowMs: 0 });
  t.after(() => scene.close());
  crashAfterParts(scene, 2);
  const facts = [...ACCOUNTS.flatMap((id) => [account(id, 1), webhookSet(id)]), stockAdded(1)];
  await assert.rejects(scene.happen(...facts), CRASH);
  assert.match(await verifyOutbox(scene.folder), /0 events/);

  await scene.restart();
  await scene.settle();
  assert.deepEqual(new Set(await eventsPerAccount(scene)), new Set([1]));
  assert.deepEqual(new Set(scene.told), new Set(['stock.changed 1']));
  assert.equal(scene.sent.length, ACCOUNTS.length);
});

test('a disk that is full in the middle is tried again, and nothing is left behind', async (t) => {
  const scene = await OutboxScene.open({ windowMs: 0 });
  t.after(() => scene.close());
  await scene.happen(...ACCOUNTS.flatMap((id) => [account(id, 1), webhookSet(id)]));
  crashAfterParts(scene, 1);
  await scene.append([stockAdded(1)]);
  scene.outbox.turn();
  assert.equal(
    scene.outbox.turn((error) => error === CRASH),
    false,
  );
  assert.equal(scene.sent.length, 0);

  await scene.settle();
  assert.equal(scene.sent.length, ACCOUNTS.length);
  assert.equal(scene.store.hasEventsAhead, false);
});
