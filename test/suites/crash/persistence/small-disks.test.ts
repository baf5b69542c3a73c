/** Files of the database, stock and merges of the checkpoint on a disk that is full: an error or a later try, and never damage. */
import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { FactOf } from '../../../../src/engine/fact.ts';
import { checkpointIn } from '../../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../../../src/persistence/checkpoint/checkpoint-fold.ts';
import type {
  CheckpointCalls,
  CheckpointThreadData,
} from '../../../../src/persistence/checkpoint/checkpoint-thread.ts';
import { RoomForWrite } from '../../../../src/persistence/disk/disk-room.ts';
import { openLogReader } from '../../../../src/persistence/journal/open-log.ts';
import { createEnvironment, openEnvironment } from '../../../../src/persistence/lmdb/lmdb-environment.ts';
import { productStock } from '../../../../src/persistence/stock/product-stock.ts';
import { openStockStore } from '../../../../src/persistence/stock/stock-store.ts';
import { readFileList } from '../../../../src/persistence/store/file-list.ts';
import { StoreReader } from '../../../../src/persistence/store/store-reader.ts';
import { WorkerLink } from '../../../../src/threads/worker-link.ts';
import { JournalFolder } from '../../../persistence/journal/journal-folder.ts';
import { numbered } from '../../../persistence/stock/stock-scene.ts';
import { REFUSAL } from '../../../persistence/stored-refusal.ts';
import { randomDataKeys } from '../../../support/data-keys.ts';
import { randomFromEnvironment } from '../../../support/random.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../../support/small-disk.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';
import { FoldScene } from './fold-scene.ts';

const LEFT_KILOBYTES = [0, 4, 8, 16, 18, 20, 28, 40, 44, 60, 100];
const PRODUCT = 7;
/** So many that a merge of them is due. */
const FOLDS = 4;
const KEYS_PER_FOLD = 20_000;
/** Enough for a small fold, and not for a merge of those. */
const LEFT_FOR_FOLDS = 600_000;

const NEEDED_BYTES = 4 * 1024 * 1024;
/** LMDB's error for a write that came to an end before its last byte, whatever the reason. */
const SHORT = 5;
/** Room on the disk before a write that fails, and after it. */
const ROOMS: readonly (readonly [
  name: string,
  before: string,
  after: string,
  code: number | string,
  isWanted: boolean,
])[] = [
  ['there is room', 'the write', 'the write', SHORT, false],
  ['it became full', 'the write', 'nothing', SHORT, true],
  ['it is full', 'nothing', 'nothing', SHORT, true],
  ['it was full', 'nothing', 'the write', SHORT, true],
  ['it had little room', 'less', 'the write', SHORT, true],
  ['the system says so', 'the write', 'the write', 28, true],
  ['another error', 'nothing', 'nothing', 'EROFS', false],
];

/** `close` comes before the disk goes. */
async function diskOf(context: TestContext, megabytes: number, close: () => Promise<void> = async () => {}) {
  const folder = await createTemporaryFolder('small-disk');
  const disk = mountSmallDisk(folder.path, megabytes);
  context.after(async () => {
    await close();
    disk.unmount();
    await folder.remove();
  });
  return disk;
}

describe('while a disk is nearly full', { skip: whyNoSmallDisk() ?? false }, () => {
  test('no file of the database is made, or opened without its lock file; with room both are', async (context) => {
    const disk = await diskOf(context, 4);
    const rows = join(disk.path, 'rows.mdb');
    const whileFull = async (leftKilobytes: number, work: () => Promise<void> | void) => {
      disk.fill(leftKilobytes * 1_024);
      await work();
      disk.free();
    };
    for (const left of LEFT_KILOBYTES)
      await whileFull(left, () =>
        assert.rejects(createEnvironment(rows, ['rows']), { code: 'ENOSPC' }, `${left} KiB`),
      );
    assert.deepEqual(readdirSync(disk.path), []);
    await createEnvironment(rows, ['rows']);
    const copy = join(disk.path, 'copy.mdb');
    copyFileSync(rows, copy);
    for (const left of [0, 4])
      await whileFull(left, () =>
        assert.throws(() => openEnvironment(copy), { code: 'ENOSPC' }, `${left} KiB`),
      );
    assert.equal(readdirSync(disk.path).includes('copy.mdb-lock'), false);
    await openEnvironment(copy).close();
  });

  test('a write is told to have failed for want of room, or for another reason', async (context) => {
    const disk = await diskOf(context, 16);
    const leave = (room: string) => {
      disk.free();
      if (room !== 'the write') disk.fill(room === 'less' ? NEEDED_BYTES / 4 : 0);
    };
    for (const [name, before, after, code, isWanted] of ROOMS) {
      leave(before);
      const room = new RoomForWrite(disk.path, NEEDED_BYTES);
      leave(after);
      const error = Object.assign(new Error('a write failed'), { code });
      assert.equal(room.isWantedBy(error), isWanted, name);
    }
  });

  test('an upload is refused, a reader is not, and nothing has to be mended', async (context) => {
    const disk = await diskOf(context, 32, () => store.close());
    const store = await openStockStore({
      file: join(disk.path, 'stock.mdb'),
      keys: randomDataKeys(),
      onFatal: (error) => assert.fail(String(error)),
    });
    const [first, second] = [numbered('first', 5_000), numbered('second', 20_000)];
    let end = 0;
    const upload = async (lines: readonly string[]) => {
      const readStock = async () => productStock(PRODUCT, end);
      const intake = await store.beginIntake({ productId: PRODUCT, allowDuplicates: false, readStock });
      try {
        await intake.writeText(Buffer.from(lines.join('\n')));
        end += (await intake.finish()).added;
      } finally {
        intake.close();
      }
    };
    await upload(first);
    disk.fill();
    for (let attempt = 0; attempt < 3; attempt += 1)
      await assert.rejects(upload(second), { name: 'StockError', reason: 'full' });
    assert.deepEqual(store.readItems(PRODUCT, 0, end, end), first);
    disk.free();
    const tooLarge = Array.from({ length: 4_000 }, (_, index) => `${index} ${'x'.repeat(10_000)}`);
    await assert.rejects(upload(tooLarge), { name: 'StockError', reason: 'full' });
    const { bavail, bsize } = statfsSync(disk.path);
    assert.ok(bavail * bsize >= 1024 * 1024, 'a refused upload leaves room for purchases');
    await upload(second);
    assert.deepEqual(store.readItems(PRODUCT, 0, end, end), [...first, ...second]);
  });

  test('a merge is put off; folds go on, and it is made when there is room', async (context) => {
    const disk = await diskOf(context, 128, () => folder.close());
    const folder = await JournalFolder.open(disk.path);
    let keys = 0;
    const append = async (count: number) => {
      await folder.append(Array.from({ length: count }, () => refused(`key ${keys++}`)));
      return folder.log.head.position;
    };
    for (let fold = 0; fold < FOLDS; fold += 1) {
      for (let done = 0; done < KEYS_PER_FOLD; done += 1_000) await append(1_000);
      const folded = new CheckpointFold(checkpointIn(disk.path), openLogReader(disk.path));
      folded.foldThrough(folder.log.head.position);
      await folded.close();
    }
    const files = () => readFileList(checkpointIn(disk.path)).files.length;
    assert.equal(files(), FOLDS);
    const positions = [await append(2), await append(2), await append(2)] as const;
    disk.fill(LEFT_FOR_FOLDS);
    const thread = await startCheckpointThread(disk.path);
    const fold = async (through: number) => {
      assert.equal(await thread.call('fold', [through]), through, 'the fold had room');
      assert.equal(await mergeAll(thread), 'merged');
    };
    await fold(positions[0]);
    await fold(positions[1]);
    assert.equal(files(), FOLDS + 2, 'nothing was merged');
    disk.free();
    await fold(positions[2]);
    await thread.stop();
    assert.ok(files() < FOLDS, `${files()} files`);
  });

  test('a fold and a merge that find no room at any of their writes are made when there is some', async (context) => {
    const random = randomFromEnvironment();
    context.diagnostic(`seed ${random.seed}`);
    const disk = await diskOf(context, 64);
    const scene = await FoldScene.make(disk.path, random, 1_500);
    const store = checkpointIn(scene.path);
    const thread = await startCheckpointThread(scene.path);
    const reader = new StoreReader(store);
    let position = 0;
    let refused = 0;
    // Each fold wants more than that: of these kilobytes some are left for its file, and some for the list behind it.
    const steps = LEFT_KILOBYTES.concat(LEFT_KILOBYTES.map((left) => left + 100));
    for (const [step, left] of steps.entries()) {
      const through = scene.ends((scene.end * (step + 1)) / (steps.length + 1))[0] ?? scene.end;
      disk.fill(left * 1_024);
      const folded = await thread.call('fold', [through]);
      if (typeof folded === 'object') {
        assert.equal(folded.kind, 'no-room', `${left} KiB: ${JSON.stringify(folded)}`);
        refused += 1;
      }
      assert.equal(await mergeAll(thread), 'merged', `${left} KiB`);
      reader.refresh();
      assert.ok(reader.list.position >= position);
      disk.free();
      assert.equal(await thread.call('fold', [through]), through, `${left} KiB`);
      reader.refresh();
      position = scene.expectAll(reader);
      assert.equal(position, through);
    }
    assert.ok(refused > 0 && refused < steps.length, `${refused} of ${steps.length} folds had no room`);
    assert.equal(await mergeAll(thread), 'merged');
    await thread.stop();
    reader.close();
    assert.equal(scene.expectSound(store), position);
    scene.expectTidied(store);
    assert.ok(readFileList(store).files.length < FOLDS, 'they were merged');
  });
});

type CheckpointThread = WorkerLink<CheckpointThreadData, CheckpointCalls>;

async function startCheckpointThread(folder: string): Promise<CheckpointThread> {
  const thread = new WorkerLink<CheckpointThreadData, CheckpointCalls>({
    program: new URL('../../../../src/persistence/checkpoint/checkpoint-thread.js', import.meta.url),
    name: 'the thread of the checkpoint',
    data: { folder, compaction: {} },
    onDeath: (error) => assert.fail(error),
  });
  await thread.start();
  return thread;
}

/** As long as there is anything to merge, and room for it; what it was told of files, if anything. */
async function mergeAll(thread: CheckpointThread): Promise<unknown> {
  for (;;) {
    const part = await thread.call('compact', []);
    if (typeof part === 'object') return part;
    if (part === false) return 'merged';
  }
}

function refused(idempotencyKey: string): FactOf<'PurchaseRefused'> {
  return { kind: 'PurchaseRefused', atMs: 1, refusal: { ...REFUSAL, idempotencyKey } };
}
