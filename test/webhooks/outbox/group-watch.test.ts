/** When the journal is asked to say that a group of events closes, and what it says. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { loadConfig } from '../../../src/config/config.ts';
import { NO_GROUP } from '../../../src/persistence/webhooks/outbox-rows.ts';
import { OutboxScene } from './outbox-scene.ts';
import { START_MS, stockAdded, webhookSet } from './shop-facts.ts';

let scene: OutboxScene;
describe('the watch of groups', () => {
  beforeEach(async () => {
    scene = await OutboxScene.open({ windowMs: 1_000 });
  });
  afterEach(() => scene.close());

  const stockNow = (productId: number) => stockAdded(productId, scene.wallMs);

  test('a journal that says nothing of it means the window that is the default', () => {
    assert.equal(NO_GROUP.windowMs, loadConfig({}, {}, () => '').groupWindowMs);
  });

  test('after the last change for a while, one fact closes the group, and none follows', async () => {
    await scene.happen(webhookSet(1), stockNow(1), stockNow(2));
    await scene.pass(60_000);
    assert.deepEqual(scene.told, ['stock.changed 1,2']);
    assert.equal(scene.position, 4);
  });

  test('a fact that comes a window later closes the group by itself', async () => {
    await scene.happen(webhookSet(1));
    for (let change = 0; change < 35; change += 1) {
      await scene.happen(stockNow(change));
      scene.skip(100);
    }
    assert.equal(scene.asks, 0);
    assert.equal(scene.sent.length, 3);
  });

  test('what is refused is asked for again, once a second', async () => {
    scene.isRefusing = true;
    await scene.happen(webhookSet(1), stockNow(1));
    await scene.pass(5_000);
    assert.deepEqual(scene.told, []);
    assert.equal(scene.asks, 5);
    scene.isRefusing = false;
    await scene.pass(1_000);
    assert.deepEqual(scene.told, ['stock.changed 1']);
  });

  test('another --group-window is in the journal once, before anybody has a webhook', async () => {
    scene.windowMs = 5_000;
    await scene.restart();
    await scene.pass(60_000);
    assert.equal(scene.position, 1);
    await scene.happen(webhookSet(1));
    assert.equal(scene.position, 2);
    await scene.happen(stockNow(1));
    await scene.pass(4_999);
    assert.deepEqual(scene.told, []);
    await scene.pass(1);
    assert.deepEqual(scene.told, ['stock.changed 1']);

    await scene.restart();
    await scene.pass(60_000);
    assert.equal(scene.position, 4, 'it is not said again');
  });

  test('a wall clock that was set back holds no group open', async () => {
    await scene.happen(webhookSet(1), stockNow(1));
    scene.wallOffsetMs = -3_600_000;
    await scene.happen(stockNow(2));
    assert.deepEqual(scene.told, ['stock.changed 1']);
    await scene.pass(1_000);
    assert.deepEqual(scene.told, ['stock.changed 1', 'stock.changed 2']);
    const [, event] = (await scene.history(1)).toReversed();
    assert.equal(event?.createdAtMs, START_MS - 3_600_000 + 1_000, 'by the time of the fact');
  });
});
