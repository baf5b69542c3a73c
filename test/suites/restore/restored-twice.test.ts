/** Webhook events of a shop that is restored for the second time: those of the epoch before were delivered, and stay so. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { Retrying } from '../../../src/backup/retrying.ts';
import { backUpFolder } from '../../../src/backup/shipping/single-backup.ts';
import { FolderTarget } from '../../../src/backup/target/folder-target.ts';
import { OutboxBatch } from '../../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../../src/persistence/webhooks/outbox-store.ts';
import { BackupSource } from '../../../src/restore/backup-source.ts';
import { restore } from '../../../src/restore/restore.ts';
import { planRestore } from '../../../src/restore/restore-plan.ts';
import { givenMasterKey } from '../../../src/restore/restored-keys.ts';
import type { DerivationSink } from '../../../src/webhooks/outbox/derivation/derivation-sink.ts';
import { QuietNode } from '../../support/nodes/quiet-node.ts';
import { ok } from '../../support/operator-client.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { masterKeyIn } from './hand-made-backup.ts';
import { NaiveShop, pendingEvents } from './naive-shop.ts';
import { sellCodes } from './random-shop.ts';

/** Nothing answers there. */
const WEBHOOK = { url: 'https://127.1.1.1/', events: ['order.completed'] };

test('a shop that is restored twice delivers what was pending, and nothing again', async (t) => {
  const folder = await createTemporaryFolder('restored-twice');
  t.after(() => folder.remove());
  const target = new FolderTarget(join(folder.path, 'target'), { makesFolder: true });
  const dataOf = (epoch: number) => join(folder.path, `data-${epoch}`);
  const nodeOf = (epoch: number) =>
    QuietNode.start({ path: dataOf(epoch), remove: async () => {} }, { webhookAllow: '127.0.0.0/8' });

  const first = await nodeOf(1);
  const apiKey = await sellCodes(first);
  await first.buyers.setWebhook(apiKey, WEBHOOK);
  const buy = async (node: QuietNode, key: string) => {
    const body = { productId: 1, quantity: 1, expectedPriceUsdt: 1 };
    assert.equal((await node.buyers.purchase(apiKey, key, body)).status, 201);
  };
  await buy(first, 'key 1');
  await buy(first, 'key 2');
  await first.stop();
  await deliver(dataOf(1), []);
  const key = givenMasterKey(masterKeyIn(dataOf(1)), { file: 'a file' });
  const again = async (epoch: number) => {
    const signal = new AbortController().signal;
    const retrying = new Retrying({ signal, patienceMs: 0, onTrouble: () => {} });
    await backUpFolder(dataOf(epoch), undefined, { target, retrying, rest: 0, clock: Date.now });
    const plan = await planRestore(new BackupSource(target), key);
    await restore(plan, dataOf(plan.nextEpoch), { key, beginsEpoch: true, nowMs: Date.now() });
  };
  await again(1);
  assert.deepEqual(await pendingEvents(dataOf(2)), []);

  const second = await nodeOf(2);
  await ok(second.operator.json('POST', '/restore/open', { all: 'keep' }));
  for (const name of ['key 3', 'key 4', 'key 5']) await buy(second, name);
  await second.stop();
  const failed = await deliver(dataOf(2), [0, 3]);
  await again(2);
  assert.deepEqual(await pendingEvents(dataOf(3)), failed);
  await target.close();
});

/** All events but those at these places, as if the account had been told; of these, the first attempt has failed. */
async function deliver(data: string, failed: readonly number[]): Promise<string[]> {
  const shop = await NaiveShop.read(data);
  const store = OutboxStore.open(data);
  const batch = new OutboxBatch();
  const events = shop.events.map((event) => JSON.parse(event) as Parameters<DerivationSink['emit']>);
  for (const [index, [accountId, number, content, createdAtMs]] of events.entries()) {
    const status = failed.includes(index) ? 'pending' : 'delivered';
    const firstAttempt = { startedAtMs: 1, durationMs: 1 };
    const counts = { attempts: 1, loggedAttempts: 1, firstAttempt };
    const event = { accountId, number, status, content, createdAtMs, dueAtMs: 1, ...counts } as const;
    store.putEvent(batch, event, store.event(accountId, number));
    store.putQueue(batch, accountId, { firstOpen: number + 1, cancelBelow: 0, sweptBelow: 0 });
  }
  store.commit(batch);
  await Promise.all([store.close(), shop.close()]);
  return failed.map((index) => shop.events[index] ?? '');
}
