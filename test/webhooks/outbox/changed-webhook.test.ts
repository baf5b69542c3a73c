/** Webhooks that are deleted, replaced or set again while their events wait, and a crash beside that (SPEC.md §6). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { DeliveryResult } from '../../../src/webhooks/delivery/delivery-result.ts';
import { Hanging, HOUR_MS, MINUTE_MS, ordersSent, outcomes, statuses } from './outbox-looks.ts';
import { OK, OutboxScene, REFUSED } from './outbox-scene.ts';
import { account, placed, webhookRemoved, webhookSet } from './shop-facts.ts';

let scene: OutboxScene;
describe('a webhook that changes', () => {
  beforeEach(async () => {
    scene = await OutboxScene.open();
  });
  afterEach(() => scene.close());

  it('that is deleted takes what waits with it, and gets nothing of it when it is set again', async () => {
    scene.receiver = () => REFUSED;
    await scene.happen(webhookSet(1), placed(1), placed(2));
    await scene.happen(webhookRemoved(1));
    assert.deepEqual([...scene.store.due(1)], []);
    assert.deepEqual([scene.outbox.counters.pending, scene.outbox.counters.cancelled], [0, 2]);
    scene.receiver = () => OK;
    await scene.happen(webhookSet(1), placed(3));
    await scene.pass(8 * HOUR_MS);
    assert.deepEqual(ordersSent(scene), [1, 2, 3]);
    assert.deepEqual(await statuses(scene), ['delivered', 'cancelled', 'cancelled']);
  });

  it('that is deleted while an attempt is under way: it may still be delivered, and is not attempted again', async () => {
    const hanging = new Hanging();
    scene.receiver = hanging.receiver;
    await scene.happen(account(1, 2), webhookSet(1), placed(1), placed(2), placed(3));
    await scene.happen(webhookRemoved(1));
    hanging.endFirst(OK);
    hanging.endFirst(REFUSED);
    await scene.pass(8 * HOUR_MS);
    assert.deepEqual(ordersSent(scene), [1, 2]);
    assert.deepEqual(await statuses(scene), ['cancelled', 'cancelled', 'delivered']);
  });

  it('that is replaced gets what waits at its new address, signed with its new secret', async () => {
    scene.receiver = () => REFUSED;
    await scene.happen(webhookSet(1), placed(1));
    const changes = { url: 'https://new.test/', sealedSecret: 'new', events: ['order.failed'] } as const;
    await scene.happen(webhookSet(1, changes));
    await scene.pass(2 * MINUTE_MS);
    assert.deepEqual(
      scene.sent.map(({ url, sealedSecret }) => [url, sealedSecret]),
      [
        ['https://receiver.test/hook', 'sealed'],
        ['https://new.test/', 'new'],
      ],
    );
  });

  it('that is replaced gets nothing more at its old address, though the outbox has not read of it', async () => {
    const hanging = new Hanging();
    scene.receiver = hanging.receiver;
    await scene.happen(webhookSet(1), placed(1), placed(2));
    await scene.append([webhookSet(1, { url: 'https://new.test/' })]);
    hanging.endFirst(OK);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(scene.sent.length, 1, 'the queue is free, and is held back');
    await scene.work();
    assert.deepEqual(
      scene.sent.map(({ url, data }) => [url, data.orderId]),
      [
        ['https://receiver.test/hook', 1],
        ['https://new.test/', 2],
      ],
    );
  });

  it('that was deleted just before a crash gets nothing after it, however long reading on takes', async () => {
    scene.receiver = () => new Promise(() => {});
    await scene.happen(webhookSet(1), placed(1));
    const ofOthers = Array.from({ length: 2_500 }, (_, index) => placed(10 + index, { accountId: 2 }));
    await scene.append(ofOthers, [webhookRemoved(1)]);
    await scene.restart();
    await scene.pass(HOUR_MS);
    assert.deepEqual(ordersSent(scene), [1]);
    assert.equal((await scene.history(1))[0]?.status, 'cancelled');
  });

  const brokenOff = (code: 'replaced' | 'outdated'): DeliveryResult => ({
    error: { code, message: 'the webhook has changed' },
    durationMs: 5,
  });

  it('that is replaced has attempts under way broken off, and made anew at once', async () => {
    scene.receiver = ({ url }) => (url === 'https://new.test/' ? OK : brokenOff('replaced'));
    await scene.append([webhookSet(1), placed(1)]);
    scene.outbox.pass();
    await scene.happen(webhookSet(1, { url: 'https://new.test/' }));
    assert.equal(scene.sent.at(-1)?.url, 'https://new.test/');
    assert.equal(scene.sent.at(-1)?.atMs, 0);
    const [event] = await scene.history(1);
    assert.equal(event?.status, 'delivered');
    assert.deepEqual(
      event?.attempts.map(({ status, error }) => error?.code ?? status),
      ['replaced', 200],
    );
    assert.equal(scene.outbox.counters.failedAttempts, 0);
  });

  it('that is deleted and set again has retries that fall due while thousands are cancelled', async () => {
    const hanging = new Hanging();
    scene.receiver = hanging.receiver;
    await scene.happen(webhookSet(1), ...Array.from({ length: 4_000 }, (_, index) => placed(index + 1)));
    await scene.restart();
    await scene.append([webhookRemoved(1)]);
    await scene.append([webhookSet(1), placed(4_001)]);
    for (let passes = 0; passes < 10 && ordersSent(scene).at(-1) !== 4_001; passes += 1) {
      scene.outbox.pass();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(scene.outbox.counters.pending > 1, 'the sweep is under way');
    scene.receiver = () => OK;
    hanging.endLast(brokenOff('replaced'));
    await scene.pass(HOUR_MS);
    assert.equal(scene.outbox.counters.pending, 0);
    assert.equal(scene.outbox.counters.delivered, 1);
  });

  it('before anything was sent loses neither the order of its events nor an attempt', async () => {
    const hanging = new Hanging();
    scene.receiver = ({ url }) => (url === 'https://new.test/' ? OK : hanging.receiver());
    await scene.happen(webhookSet(1), placed(1), placed(2));
    await scene.append([webhookSet(1, { url: 'https://new.test/' })]);
    hanging.endFirst(brokenOff('outdated'));
    await scene.work();
    assert.deepEqual(ordersSent(scene), [1, 1, 2]);
    assert.deepEqual(await outcomes(scene), ['delivered 1', 'delivered 1']);
  });
});
