/** How events are attempted: the schedule, the order, crashes, who waits for whom, and what is kept (SPEC.md §6). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, test } from 'node:test';
import {
  DAY_MS,
  Hanging,
  HOUR_MS,
  MINUTE_MS,
  ordersSent,
  outcomes,
  SCHEDULE_MS,
  sentAtMs,
} from './outbox-looks.ts';
import { BUSY, OK, OutboxScene, REFUSED } from './outbox-scene.ts';
import { account, placed, START_MS, stockAdded, webhookRemoved, webhookSet } from './shop-facts.ts';

let scene: OutboxScene;
describe('the outbox', () => {
  beforeEach(async () => {
    scene = await OutboxScene.open();
  });
  afterEach(() => scene.close());

  describe('the backlog', () => {
    it('is how long an event has waited for an attempt that could be made, not for the time of one', async () => {
      const hanging = new Hanging();
      scene.receiver = hanging.receiver;
      await scene.happen(webhookSet(1), placed(1));
      const waited = () => scene.outbox.backlog().waitedMs;
      assert.deepEqual(scene.outbox.backlog(), { position: scene.position, waitedMs: 0 });
      scene.skip(MINUTE_MS);
      assert.equal(waited(), 0, 'what is under way does not wait');
      await scene.happen(placed(2, {}, START_MS + MINUTE_MS), placed(3, {}, START_MS + MINUTE_MS));
      scene.skip(5 * MINUTE_MS);
      assert.equal(waited(), 5 * MINUTE_MS, 'the second waits for the first one to end');
      await scene.restart();
      assert.equal(waited(), 6 * MINUTE_MS, 'after a start the first waits, too');
      scene.receiver = () => REFUSED;
      await scene.work();
      assert.equal(waited(), 0, 'all have another attempt before them');
      scene.skip(3 * MINUTE_MS);
      assert.equal(waited(), 2 * MINUTE_MS, 'which is due after a minute');
      scene.receiver = () => OK;
      await scene.work();
      assert.equal(waited(), 0);
    });
  });

  test('while sales are closed after a restore nothing is sent, and nobody is behind; then all is', async () => {
    scene.hold(true);
    await scene.happen(webhookSet(1), placed(1), placed(2));
    await scene.pass(HOUR_MS);
    assert.deepEqual([scene.told, scene.outbox.backlog().waitedMs], [[], 0]);
    scene.hold(false);
    await scene.work();
    assert.deepEqual(ordersSent(scene), [1, 2]);
  });

  describe('the schedule', () => {
    it('has five attempts over 6 h 36 min, each with the same id and body, then the event is discarded', async () => {
      scene.receiver = () => REFUSED;
      await scene.happen(webhookSet(1), placed(1));
      await scene.pass(8 * HOUR_MS);
      assert.deepEqual(sentAtMs(scene), SCHEDULE_MS);
      assert.equal(new Set(scene.sent.map(({ body }) => body)).size, 1);
      assert.equal(new Set(scene.sent.map(({ eventId }) => eventId)).size, 1);
      assert.equal(new Set(scene.sent.map(({ requestId }) => requestId)).size, 5);
      assert.deepEqual(
        scene.discarded.map(({ content }) => content),
        [{ type: 'order.completed', orderId: 1 }],
      );
      const [event] = await scene.history(1);
      assert.equal(event?.status, 'discarded');
      assert.deepEqual(
        event?.attempts.map(({ startedAtMs, status, responseHead }) => [
          startedAtMs - START_MS,
          status,
          responseHead,
        ]),
        SCHEDULE_MS.map((atMs) => [atMs, 500, 'no']),
      );
    });

    it('goes on after a restart: what is overdue at once, nothing earlier than due', async () => {
      scene.receiver = () => REFUSED;
      await scene.happen(webhookSet(1), placed(1));
      for (let pass = 0; pass < 40; pass += 1) {
        await scene.pass(10 * MINUTE_MS);
        await scene.restart();
        await scene.work();
      }
      assert.deepEqual(sentAtMs(scene), SCHEDULE_MS);
    });

    it('does not wait longer, nor send earlier, when the wall clock is set back', async () => {
      scene.receiver = () => REFUSED;
      await scene.happen(webhookSet(1), placed(1));
      await scene.pass(30_000);
      scene.wallOffsetMs = -3 * DAY_MS;
      await scene.pass(6 * MINUTE_MS - 30_000);
      await scene.restart();
      await scene.pass(8 * HOUR_MS);
      assert.deepEqual(sentAtMs(scene), SCHEDULE_MS);
    });

    it('is not used up by attempts for which there was no place', async () => {
      scene.receiver = ({ atMs }) => (atMs < 2_000 ? BUSY : OK);
      await scene.happen(webhookSet(1), placed(1), placed(2));
      await scene.pass(5_000);
      assert.deepEqual(await outcomes(scene), ['delivered 1', 'delivered 1']);
      assert.deepEqual(ordersSent(scene).slice(-2), [1, 2]);
    });
  });

  describe('the order of first attempts', () => {
    it('is that of the events, with so many at once as the account may have', async () => {
      const hanging = new Hanging();
      scene.receiver = hanging.receiver;
      const orders = Array.from({ length: 10 }, (_, index) => placed(index + 1));
      await scene.happen(account(1, 3), webhookSet(1), ...orders);
      for (const [last, result] of [
        [3, OK],
        [4, REFUSED],
        [5, OK],
      ] as const) {
        assert.deepEqual(
          [hanging.underWay, ordersSent(scene).length, ordersSent(scene).at(-1)],
          [3, last, last],
        );
        hanging.endFirst(result);
        await scene.work();
      }
    });

    it('retries come later and hold nothing up', async () => {
      scene.receiver = ({ data }) => (data.orderId === 1 ? REFUSED : OK);
      await scene.happen(webhookSet(1), placed(1), placed(2));
      await scene.pass(2 * MINUTE_MS);
      await scene.happen(placed(3));
      assert.deepEqual(ordersSent(scene), [1, 2, 1, 3]);
    });

    it('is kept through a restart: what was under way comes first again', async () => {
      const hanging = new Hanging();
      scene.receiver = ({ data }) => (data.orderId === 2 ? OK : hanging.receiver());
      const orders = Array.from({ length: 6 }, (_, index) => placed(index + 1));
      await scene.happen(account(1, 3), webhookSet(1), ...orders);
      assert.deepEqual(ordersSent(scene), [1, 2, 3, 4]);
      await scene.restart();
      scene.receiver = () => OK;
      await scene.work();
      assert.deepEqual(ordersSent(scene).slice(4), [1, 3, 4, 5, 6]);
    });
  });

  describe('accounts', () => {
    it('whose endpoints hang never take all places', async () => {
      const scarce = await OutboxScene.open({ places: 12 });
      const hanging = new Hanging();
      scarce.receiver = ({ accountId }) => (accountId === 99 ? OK : hanging.receiver());
      const many = Array.from({ length: 30 }, (_, index) => index + 1);
      await scarce.happen(webhookSet(99), ...many.map((accountId) => webhookSet(accountId)));
      await scarce.happen(...many.map((accountId) => placed(accountId, { accountId })));
      while (hanging.underWay > 0) {
        hanging.endFirst(REFUSED);
        await scarce.work();
      }
      // Now all of them are known to fail, and all of them have more.
      await scarce.happen(...many.map((accountId) => placed(100 + accountId, { accountId })));
      assert.equal(hanging.underWay, 3);
      await scarce.happen(placed(1_000, { accountId: 99 }));
      assert.equal(scarce.sent.at(-1)?.data.orderId, 1_000);
      const sentBefore = scarce.sent.length;
      await scarce.restart();
      await scarce.work();
      assert.equal(scarce.sent.length - sentBefore, 3, 'nor right after a start');
      await scarce.close();
    });
  });

  describe('a disk without room', () => {
    it('delays everything and loses nothing', async () => {
      scene.receiver = ({ data }) => (data.orderId === 1 ? REFUSED : OK);
      await scene.happen(webhookSet(1), webhookSet(2), placed(1));
      let failures = 3;
      const commit = scene.store.commit.bind(scene.store);
      scene.store.commit = (batch) => {
        failures -= 1;
        if (failures >= 0) throw Object.assign(new Error('no space left on device'), { code: 28 });
        commit(batch);
      };
      await scene.append([placed(2, { accountId: 2 }), placed(3, { accountId: 2 })]);
      assert.equal(scene.outbox.pass(), true, 'there is nothing to be written yet');
      await scene.append([placed(4, { accountId: 2 })]);
      for (let pass = 0; pass < 3; pass += 1) {
        assert.equal(scene.outbox.pass(), false);
        await new Promise((resolve) => setImmediate(resolve));
        assert.deepEqual(ordersSent(scene), [1, 2, 3], 'nothing more begins before what came up is on disk');
      }
      await scene.pass(2 * MINUTE_MS);
      assert.deepEqual(ordersSent(scene), [1, 2, 3, 4, 1]);
    });
  });

  describe('a replay', () => {
    const numberOf = async (orderId: number): Promise<number> => {
      const history = await scene.history(1);
      return history.at(-orderId)?.number ?? assert.fail();
    };

    it('is the same event again, with the whole schedule', async () => {
      scene.receiver = () => REFUSED;
      await scene.happen(webhookSet(1), placed(1));
      await scene.pass(10 * HOUR_MS);
      assert.ok(scene.outbox.replay(1, await numberOf(1)));
      assert.equal(scene.outbox.replay(1, await numberOf(1)), false, 'twice at once');
      await scene.pass(10 * HOUR_MS);
      assert.deepEqual(sentAtMs(scene), [...SCHEDULE_MS, ...SCHEDULE_MS.map((atMs) => 10 * HOUR_MS + atMs)]);
      assert.equal(new Set(scene.sent.map(({ body }) => body)).size, 1);
      assert.equal(new Set(scene.sent.map(({ requestId }) => requestId)).size, 10);
      const [event] = await scene.history(1);
      assert.deepEqual([event?.status, event?.attempts.length], ['discarded', 10]);
    });

    it('survives a restart', async () => {
      await scene.happen(webhookSet(1), placed(1));
      assert.ok(scene.outbox.replay(1, await numberOf(1)));
      scene.receiver = () => BUSY;
      await scene.work();
      await scene.restart();
      scene.receiver = () => OK;
      await scene.pass(1_000);
      assert.deepEqual(ordersSent(scene).slice(0, 2), [1, 1]);
      assert.equal((await scene.history(1))[0]?.attempts.length, 2);
    });

    it('is refused for what waits, was cancelled, or is not there', async () => {
      scene.receiver = () => REFUSED;
      await scene.happen(webhookSet(1), placed(1));
      assert.equal(scene.outbox.replay(1, await numberOf(1)), false);
      assert.equal(scene.outbox.replay(1, 12_345), false);
      assert.equal(scene.outbox.replay(2, 1), false);
      await scene.happen(webhookRemoved(1), webhookSet(1));
      assert.equal(scene.outbox.replay(1, await numberOf(1)), false);
    });
  });

  describe('the history', () => {
    const HISTORY_MS = 2 * DAY_MS;

    beforeEach(async () => {
      await scene.close();
      scene = await OutboxScene.open({ historyMs: HISTORY_MS });
    });

    it('is kept for its time, then removed with all that belongs to it', async () => {
      scene.receiver = ({ data }) => (data.orderId === 1 ? REFUSED : OK);
      await scene.happen(webhookSet(1), placed(1), stockAdded(1), webhookSet(2));
      await scene.pass(HISTORY_MS);
      assert.equal((await scene.history(1)).length, 2);
      await scene.pass(DAY_MS);
      for (const table of ['events', 'attempts', 'due'] as const) {
        assert.equal(scene.store.file.tables[table].getKeysCount({}), 0, table);
      }
    });

    it('an event that could not be attempted in all that time is discarded', async () => {
      scene.receiver = () => new Promise(() => {});
      await scene.happen(webhookSet(1), placed(1), placed(2));
      await scene.pass(HISTORY_MS + DAY_MS);
      await scene.restart();
      await scene.work();
      assert.deepEqual(await outcomes(scene), ['discarded 1', 'discarded 1']);
      assert.equal(scene.discarded.length, 2);
    });
  });

  describe('a stop', () => {
    it('writes what was read, leaves the rest to the next start, and then wants no pass', async () => {
      await scene.happen(webhookSet(1));
      await scene.append([placed(1), stockAdded(1)]);
      scene.outbox.pass();
      await scene.append([placed(2)]);
      scene.outbox.stop();
      let passes = 0;
      for (; scene.outbox.nextPassInMs === 0; passes += 1) scene.outbox.pass();
      assert.ok(passes <= 3, `${passes} passes`);
      assert.equal(scene.outbox.nextPassInMs, undefined);
      assert.equal(scene.outbox.counters.delivered, 1);
      await scene.restart();
      await scene.pass(1_000);
      assert.deepEqual(scene.told, ['order.completed 1', 'order.completed 2', 'stock.changed 1']);
    });
  });
});
