/** A merge of keys for which the disk has no room is put off, and nobody need hear of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FactOf } from '../../src/engine/fact.ts';
import { CheckpointFold } from '../../src/persistence/checkpoint/checkpoint-fold.ts';
import type {
  CheckpointCalls,
  CheckpointThreadData,
} from '../../src/persistence/checkpoint/checkpoint-thread.ts';
import { keyRuns, purchaseKeys } from '../../src/persistence/checkpoint/key-runs.ts';
import { openLogReader } from '../../src/persistence/journal/open-log.ts';
import { WorkerLink } from '../../src/threads/worker-link.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { JournalFolder } from './journal-folder.ts';
import { REFUSAL } from './stored-refusal.ts';

const RUNS = 3;
const KEYS_PER_RUN = 20_000;
/** Enough for a small fold, and not for a merge of those runs. */
const LEFT_BYTES = 600_000;

test('a merge without room is put off; folds go on, and merge when there is room', {
  skip: whyNoSmallDisk() ?? false,
}, async (context) => {
  const temporary = await createTemporaryFolder('merge-full');
  const disk = mountSmallDisk(temporary.path, 128);
  const folder = await JournalFolder.open(disk.path);
  context.after(async () => {
    await folder.close();
    disk.unmount();
    await temporary.remove();
  });
  let keys = 0;
  const append = async (count: number) => {
    await folder.append(Array.from({ length: count }, () => refused(`key ${keys++}`)));
    return folder.log.head.position;
  };
  for (let run = 0; run < RUNS; run += 1) {
    for (let done = 0; done < KEYS_PER_RUN; done += 1_000) await append(1_000);
    const fold = new CheckpointFold(folder.tables, openLogReader(disk.path));
    fold.foldThrough(folder.log.head.position);
    await fold.close();
  }
  const runs = () => keyRuns(purchaseKeys(folder.tables)).length;
  assert.equal(runs(), RUNS);
  const positions = [await append(2), await append(2), await append(2)] as const;
  disk.fill(LEFT_BYTES);
  const thread = new WorkerLink<CheckpointThreadData, CheckpointCalls>({
    program: new URL('../../src/persistence/checkpoint/checkpoint-thread.js', import.meta.url),
    name: 'the thread of the checkpoint',
    data: { folder: disk.path, compaction: {} },
    onDeath: (error) => assert.fail(error),
  });
  await thread.start();
  const fold = async (through: number): Promise<number> => {
    const position = await thread.call('fold', [through]);
    await thread.call('compact', []);
    assert.ok(typeof position === 'number', 'the fold had room');
    return position;
  };
  assert.equal(await fold(positions[0]), positions[0]);
  assert.equal(await fold(positions[1]), positions[1]);
  folder.tables.environment.resetReadTxn();
  assert.equal(runs(), RUNS + 2, 'nothing was merged');
  disk.free();
  assert.equal(await fold(positions[2]), positions[2]);
  await thread.stop();
  folder.tables.environment.resetReadTxn();
  assert.ok(runs() < RUNS, `${runs()} runs`);
});

function refused(idempotencyKey: string): FactOf<'PurchaseRefused'> {
  return { kind: 'PurchaseRefused', atMs: 1, refusal: { ...REFUSAL, idempotencyKey } };
}
