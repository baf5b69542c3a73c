/** What is mapped of the outbox's file goes when it is too much, and its rows stay. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createEnvironment } from '../../../src/persistence/lmdb/lmdb-environment.ts';
import { MappedMemory } from '../../../src/persistence/lmdb/mapped-memory.ts';
import { OUTBOX_FILE, OUTBOX_TABLES, OutboxBatch } from '../../../src/persistence/webhooks/outbox-file.ts';
import { OutboxStore } from '../../../src/persistence/webhooks/outbox-store.ts';
import { MapLimit } from '../../../src/webhooks/outbox/thread/map-limit.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { pendingEvent } from './pending-event.ts';

const MIB = 1_024 ** 2;
const EVENTS = 100_000;

test('the file is opened again when what is mapped has grown by 8 MiB since it was opened', () => {
  let mapped = 50 * MIB;
  let reopened = 0;
  const limit = new MapLimit({
    mappedBytes: () => mapped,
    reopen: () => {
      reopened += 1;
      mapped -= 5 * MIB;
    },
  });
  const steps: [mappedMib: number, reopenedSoFar: number][] = [
    [50, 0],
    [57, 0],
    [58, 1],
    [60, 1],
    [61, 2],
    [30, 2],
    [37, 2],
    [38, 3],
  ];
  for (const [mib, expected] of steps) {
    mapped = mib * MIB;
    limit.keep();
    assert.equal(reopened, expected, `${mib} MiB`);
  }
});

test('where nothing is known of memory, the file stays open', () => {
  const limit = new MapLimit({ mappedBytes: () => 0, reopen: () => assert.fail() });
  limit.keep();
});

const isLinux = process.platform === 'linux';
test('a store that is opened again has its rows, and none of its pages in memory', async (t) => {
  const folder = await createTemporaryFolder('map-limit');
  await createEnvironment(join(folder.path, OUTBOX_FILE), OUTBOX_TABLES);
  const store = OutboxStore.open(folder.path);
  const memory = MappedMemory.open();
  t.after(async () => {
    memory.close();
    await store.close();
    await folder.remove();
  });
  const batch = new OutboxBatch();
  for (let number = 1; number <= EVENTS; number += 1) {
    store.putEvent(batch, pendingEvent(1, number));
  }
  store.commit(batch);
  const rows = () => [...store.events(1, 0)].length;

  assert.equal(rows(), EVENTS);
  const before = memory.read();
  store.reopen();
  const freed = before - memory.read();
  if (isLinux) assert.ok(freed > 4 * MIB, `${freed} bytes`);

  // Also in the middle of what is written, and when a reader has stopped halfway.
  const later = new OutboxBatch();
  store.putLane(later, 1, { firstOpen: 5, cancelBelow: 3, sweptBelow: 1 });
  for (const _ of store.events(1, 0)) break;
  store.reopen();
  store.commit(later);
  store.reopen();
  assert.deepEqual([...store.lanes()], [[1, { firstOpen: 5, cancelBelow: 3, sweptBelow: 1 }]]);
  assert.equal(rows(), EVENTS);
});
