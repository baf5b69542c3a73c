/** What the main thread asks of the outbox's thread for operators: how much of it may wait. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import { masterKeyOf } from '../../src/persistence/folder/master-key.ts';
import { createSegment } from '../../src/persistence/journal/journal-segments.ts';
import { createEnvironment } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { OUTBOX_FILE, OUTBOX_TABLES } from '../../src/persistence/webhooks/outbox-file.ts';
import { WebhookOutbox } from '../../src/webhooks/webhook-outbox.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const MAX_REPLAYS = 16;

test('replays that wait for the disk keep nobody from reading, and are not too many', async (t) => {
  const folder = await createTemporaryFolder('webhook-outbox');
  await createEnvironment(join(folder.path, OUTBOX_FILE), OUTBOX_TABLES);
  await createSegment(folder.path, 1);
  const outbox = await WebhookOutbox.start({
    folder: folder.path,
    windowMs: 1_000,
    retryWaitsMs: [60_000],
    historyMs: 86_400_000,
    worker: {
      masterKey: masterKeyOf(randomBytes(32)),
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
  });
  t.after(async () => {
    await outbox.stop(0);
    await folder.remove();
  });

  // None is answered before all are asked.
  const replays = Array.from({ length: MAX_REPLAYS + 1 }, () =>
    outbox.ask({ kind: 'replay', accountId: 1, number: 8 }),
  );
  const page = await outbox.ask({ kind: 'page', accountId: 1, limit: 10, before: undefined });
  assert.deepEqual(page?.answer, []);
  const answered = await Promise.all(replays);
  assert.deepEqual(
    answered.map((replay) => replay?.answer),
    [...Array.from({ length: MAX_REPLAYS }, () => false), undefined],
  );
  // Those that were answered make room for others.
  assert.equal((await outbox.ask({ kind: 'replay', accountId: 1, number: 8 }))?.answer, false);
});
