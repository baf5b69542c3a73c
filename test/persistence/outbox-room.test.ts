/** What a batch of the outbox says that it needs of the disk is at least what writing it takes. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FIRST_EPOCH } from '../../src/engine/epochs.ts';
import { createEnvironment } from '../../src/persistence/lmdb/lmdb-environment.ts';
import { type AttemptRow, eventNumber } from '../../src/persistence/webhooks/event-row.ts';
import { OUTBOX_FILE, OUTBOX_TABLES, OutboxBatch } from '../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../src/persistence/webhooks/outbox-store.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const SUBSCRIBERS = 4_000;
const EVENTS_BEFORE = 4;
/** So large that each account's rows are on a page of their own. */
const ATTEMPT = { startedAtMs: 1, durationMs: 1, status: 500, responseHead: 'x'.repeat(800) };
const MEGABYTE = 1024 * 1024;

test('a group for thousands of subscribers, each of whose events are on a page of their own', async (t) => {
  const folder = await createTemporaryFolder('outbox-room');
  await createEnvironment(join(folder.path, OUTBOX_FILE), OUTBOX_TABLES);
  const store = OutboxStore.open(folder.path);
  t.after(async () => {
    await store.close();
    await folder.remove();
  });
  const bytes = () => statSync(join(folder.path, OUTBOX_FILE)).size;
  const batchOf = (firstPosition: number, count: number, firstAttempt?: AttemptRow): OutboxBatch => {
    const batch = new OutboxBatch();
    for (let accountId = 1; accountId <= SUBSCRIBERS; accountId += 1) {
      for (let position = firstPosition; position < firstPosition + count; position += 1) {
        const event = {
          accountId,
          number: eventNumber(position, 'stock.changed', FIRST_EPOCH),
          status: 'pending',
        } as const;
        const loggedAttempts = firstAttempt === undefined ? 0 : 1;
        const rest = { attempts: 0, loggedAttempts, firstAttempt, createdAtMs: 1, dueAtMs: 1 };
        store.putEvent(batch, { ...event, ...rest, content: { listNumber: 1 } });
      }
    }
    return batch;
  };
  store.commit(batchOf(1, EVENTS_BEFORE, ATTEMPT));
  const before = bytes();
  const group = batchOf(EVENTS_BEFORE + 1, 1);
  store.commit(group);
  const taken = bytes() - before;
  assert.ok(taken > 8 * MEGABYTE, `it takes ${taken} bytes`);
  assert.ok(taken <= group.roomBytes, `it takes ${taken} bytes of ${group.roomBytes}`);
  assert.ok(group.roomBytes < 128 * MEGABYTE, 'and asks for no more than a disk has');
});
