/**
 * Calls of the main thread to the outbox's thread for operators, and its reads of the file; and the thread's call to
 * it: for a fact that closes a group.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Fact } from '../../src/engine/fact.ts';
import { createEnvironment } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { GroupReader } from '../../src/persistence/webhooks/groups/group-reader.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../src/persistence/webhooks/outbox-store.ts';
import { OperatorDeliveries } from '../../src/webhooks/operator-deliveries.ts';
import { WebhookOutbox } from '../../src/webhooks/webhook-outbox.ts';
import { JournalFolder } from '../persistence/journal/journal-folder.ts';
import { randomDataKeys } from '../support/data-keys.ts';
import { eventually } from '../support/eventually.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { placed, START_MS, stockAdded, webhookRemoved, webhookSet } from './outbox/shop-facts.ts';

const MAX_REPLAYS = 16;
const ONLY_ORDERS = { events: ['order.completed'] } as const;

async function begin(t: TestContext, windowMs = 1_000) {
  const folder = await createTemporaryFolder('webhook-outbox');
  await createEnvironment(join(folder.path, OUTBOX_FILE), OUTBOX_TABLES);
  const journal = await JournalFolder.open(folder.path);
  const outbox = await WebhookOutbox.start({
    folder: folder.path,
    windowMs,
    retryWaitsMs: [60_000],
    historyMs: 86_400_000,
    worker: {
      keys: randomDataKeys().shared,
      timeoutMs: 1_000,
      places: 8,
      webhookAllow: [],
      dnsServer: undefined,
    },
    onFatal: (error) => {
      throw error;
    },
    onDiscarded: () => {},
    onDelay: () => {},
    onSettled: () => told.push(outbox.settled),
  });
  const told: number[] = [];
  const deliveries = new OperatorDeliveries(folder.path, outbox, Date.now);
  t.after(async () => {
    await deliveries.close();
    await outbox.stop(0);
    await journal.close();
    await folder.remove();
  });
  const happen = async (...facts: Fact[]) => {
    await journal.append(facts);
    outbox.advance(journal.log.head.position, facts);
  };
  return { outbox, deliveries, happen, told, folder: folder.path };
}

test('replays that wait for the disk are not too many', async (t) => {
  const { outbox } = await begin(t);
  // None is answered before all are asked.
  const replays = Array.from({ length: MAX_REPLAYS + 1 }, () => outbox.replay(1, [8]));
  assert.deepEqual(await Promise.all(replays), [...Array.from({ length: MAX_REPLAYS }, () => 0), undefined]);
  // Those that were answered make room for others.
  assert.equal(await outbox.replay(1, [8]), 0);
});

test('whoever asks after a deletion finds what was pending cancelled', async (t) => {
  const { outbox, deliveries, happen } = await begin(t);
  const statuses = async () => (await deliveries.page(1, 10))?.map(({ status }) => status) ?? [];
  outbox.open(0, () => {});
  for (let pass = 1; pass <= 3; pass += 1) {
    const orders = [1, 2, 3].map((number) => placed(pass * 10 + number));
    if (pass === 1) await happen(webhookSet(1, ONLY_ORDERS));
    await happen(...orders);
    await eventually('they are pending', async () => (await statuses()).includes('pending'));
    await happen(webhookRemoved(1));
    assert.deepEqual(await statuses(), Array(3 * pass).fill('cancelled'));
    await happen(webhookSet(1, ONLY_ORDERS));
  }
});

test('one fact at a time is asked for, again while it is refused, and none when others have come', async (t) => {
  const windowMs = 20;
  const { outbox, happen } = await begin(t, windowMs);
  const underWay: (() => void)[] = [];
  let asks = 0;
  outbox.open(0, (ended) => {
    assert.equal(underWay.length, 0, 'one is under way');
    asks += 1;
    underWay.push(ended);
  });
  await happen(webhookSet(1, { events: ['stock.changed'] }));
  // That windows are of 20 ms, which the journal doesn't say yet.
  await eventually('the fact is asked for', () => asks === 1);
  await happen({ kind: 'EventGroupClosed', atMs: START_MS, windowMs });
  underWay.pop()?.();

  await happen(stockAdded(1));
  await eventually('a group is open for long enough', () => asks === 2);
  underWay.pop()?.();
  await eventually('it was refused, and is asked for again', () => asks === 3);
  await happen(stockAdded(2, START_MS + windowMs));
  await eventually('a later fact has closed the group', () => outbox.report.pending === 1);
});

test('groups settle: at once when it is asked for, and while somebody waits', async (t) => {
  const { outbox, happen, told, folder } = await begin(t, 0);
  const store = OutboxStore.open(folder);
  t.after(() => store.close());
  const read = () => {
    store.refresh();
    return Array.from(new GroupReader(store).behind(1, 0), ({ productIds }) => productIds.join());
  };
  await happen({ kind: 'EventGroupClosed', atMs: START_MS, windowMs: 0 });
  outbox.open(1, (ended) => ended());
  await happen(stockAdded(5));
  outbox.settle(2);
  await eventually('it settles', () => outbox.settled >= 2);
  assert.deepEqual(read(), ['5']);
  outbox.watch(true);
  // A pass of the thread may have begun before it knew.
  for (let product = 6; product <= 8; product += 1) {
    await happen(stockAdded(product));
    await eventually('it settles', () => outbox.settled >= product - 3);
  }
  assert.deepEqual(read(), ['5', '6', '7', '8']);
  assert.deepEqual(told, [...new Set(told)].sort());
  assert.equal(told.at(-1), outbox.settled);
});
