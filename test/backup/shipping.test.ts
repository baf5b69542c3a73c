/**
 * A single backup, and the shipping of a running node: what is said to be at the target can be read back, in order, and
 * makes the journal, also when the target was away, and when what is old was removed.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, describe, test } from 'node:test';
import { parseChunkName } from '../../src/backup/chunk.ts';
import { CleanEndMark } from '../../src/backup/clean-end/clean-end-mark.ts';
import { parseManifestName } from '../../src/backup/manifests.ts';
import { recordKeyOf } from '../../src/backup/record.ts';
import { removeOld } from '../../src/backup/shipping/retention.ts';
import { type BackupTarget, TargetError } from '../../src/backup/target/backup-target.ts';
import { openTarget } from '../../src/backup/target/open-target.ts';
import { randomFromEnvironment } from '../support/random.ts';
import { startFaultyS3 } from '../support/servers/faulty-s3.ts';
import { MemoryTarget } from '../support/servers/memory-target.ts';
import { FAULTS, type FaultName } from '../support/servers/s3-faults.ts';
import { BackupContents } from './backup-contents.ts';
import { backedUp, Process } from './backup-helpers.ts';
import { WrittenFolder } from './written-folder.ts';

/** So that a store that hangs is given up soon, and one that answers is not, on a busy machine either. */
const PATIENCE = { answerMs: 500, bytesPerSecond: 100 * 1024 * 1024 };

const random = randomFromEnvironment();

describe(`shipping (seed ${random.seed})`, () => {
  let folder: WrittenFolder;

  const processes: Process[] = [];
  const folders: WrittenFolder[] = [];

  async function newFolder(): Promise<void> {
    folder = await WrittenFolder.create('shipping');
    folders.push(folder);
    await folder.addStock(300);
    await folder.sell(10);
  }
  before(newFolder);
  // The next test has another target, and all in memory have one name.
  afterEach(async () => {
    for (const process of processes.splice(0)) await process.kill();
    new CleanEndMark(folder.path).remove();
  });
  after(async () => {
    for (const each of folders) {
      await each.close();
      await each.remove();
    }
  });

  function begun(target: BackupTarget, options = {}): Process {
    const process = new Process(folder, target, options);
    processes.push(process);
    return process;
  }

  async function contentsOf(objects: Map<string, Buffer>): Promise<BackupContents> {
    return await BackupContents.read(new MemoryTarget(objects), folder.ring.keys);
  }

  async function expectAll(objects: Map<string, Buffer>): Promise<void> {
    (await contentsOf(objects)).expectAll(folder);
  }

  function named(target: MemoryTarget, prefix: string): string[] {
    return [...target.objects.keys()].filter((name) => name.startsWith(prefix));
  }

  /** A node that has shipped everything. */
  async function shipping(target: MemoryTarget, options = {}): Promise<Process> {
    const process = begun(target, options);
    await process.until(() => process.shipped === folder.position);
    return process;
  }

  test('a single backup has all that the folder has, and the next one goes on there', async () => {
    const target = new MemoryTarget();
    await folder.live(random, 5);
    await folder.setFile(randomBytes(9_000_000));
    await folder.deliver(['a', 'b']);
    folder.setQueue(7, 42);
    const first = await backedUp(folder, target);
    const contents = await contentsOf(target.objects);
    contents.expectAll(folder);
    assert.deepEqual([first.position.seq, first.isCleanEnd], [folder.position, false]);
    assert.deepEqual(contents.queues.get(7), { accountId: 7, firstOpen: 42, pending: [] });
    await folder.live(random, 3);
    const second = await backedUp(folder, target);
    assert.deepEqual(second.chunks.slice(0, first.chunks.length), first.chunks);
    await expectAll(target.objects);
  });

  test('a clean end is marked in the folder before it is at the target, until a newer run is there', async () => {
    const target = new MemoryTarget();
    const mark = new CleanEndMark(folder.path);
    const first = await shipping(target);
    let markedAtLast = false;
    target.fault = (call, name) => {
      if (call === 'create' && name.startsWith('manifests/')) markedAtLast = mark.isSet;
      return undefined;
    };
    folder.setQueue(3, 99);
    await first.stop();
    assert.ok(markedAtLast);
    const { manifest, queues } = await contentsOf(target.objects);
    assert.deepEqual([manifest?.isCleanEnd, manifest?.position.seq], [true, folder.position]);
    assert.equal(queues.get(3)?.firstOpen, 99);
    assert.throws(() => mark.expectAt(undefined), /start it with --backup memory, or, .* remove .*clean-end/);
    let refused = 0;
    target.fault = (call) => {
      if (call !== 'create') return undefined;
      refused += 1;
      return 'before';
    };
    // A folder that was restored from elsewhere is no longer bound to that, once its run is here.
    mark.set('/elsewhere', { isRestored: true });
    const second = begun(target);
    await second.until(() => refused > 1, 'its run is refused');
    assert.ok(mark.isSet);
    target.fault = () => undefined;
    await second.until(() => second.shipping !== undefined);
    assert.ok(!mark.isSet);
    await second.kill();
    assert.equal(named(target, 'runs/').length, 2);
  });

  test('whatever a store fails at, in turn, all arrives in the end', async () => {
    const store = await startFaultyS3();
    const target = openTarget(store.url, store.env, { makesFolder: false, patience: PATIENCE });
    try {
      const process = begun(target, { baseMs: 50 });
      for (const fault of Object.keys(FAULTS) as FaultName[]) {
        const end = store.fail(fault, { times: random.between(1, 2) });
        await folder.sell(random.between(1, 5));
        await process.until(() => process.shipped === folder.position, fault);
        end();
      }
      await process.stop();
      assert.equal(process.failure, undefined);
      await expectAll(store.objects);
    } finally {
      await target.close();
      await store.close();
    }
  });

  test('of what is old, the base, the newest manifest and the end of the log stay; shipping goes on', async () => {
    const target = new MemoryTarget();
    for (let life = 0; life < 2; life += 1) {
      const process = await shipping(target, { baseMs: 5 });
      for (let round = 0; round < 10; round += 1) {
        await folder.sell(2);
        await process.until(() => process.shipped === folder.position);
      }
      await process.stop();
    }
    const remove = (olderThanMs: number) => {
      const recordKey = recordKeyOf(folder.ring.keys.fingerprintKey);
      return removeOld({ target, recordKey, epoch: 1, olderThanMs, signal: new AbortController().signal });
    };
    const names = [...target.objects.keys()];
    await remove(1);
    assert.deepEqual([...target.objects.keys()], names, 'nothing that is young is removed');
    target.fault = (call) => (call === 'remove' ? 'refused' : undefined);
    await assert.rejects(remove(Date.now() + 1_000), TargetError);
    await expectAll(target.objects);
    target.fault = () => undefined;
    const base = named(target, 'base/');
    await remove(Date.now() + 1_000);
    assert.equal(named(target, 'manifests/').length, 1);
    assert.deepEqual(named(target, 'base/'), base);
    assert.ok(named(target, 'log/').length < 20);
    await expectAll(target.objects);
    await folder.sell(1);
    const process = await shipping(target);
    await process.stop();
    assert.equal(process.failure, undefined);
    await expectAll(target.objects);
  });

  test('where `base` ends, a chunk of `log` may have what the next fact names: that chunk is still needed', async () => {
    await newFolder();
    const target = new MemoryTarget();
    const process = await shipping(target, { baseMs: 5 });
    let [lastChunk, refused] = [0, 0];
    target.fault = (call, name) => {
      const isHeld = call === 'create' && name.startsWith('log/');
      if (!isHeld || (parseChunkName(name)?.number ?? 0) <= lastChunk) return undefined;
      refused += 1;
      return 'before';
    };
    await folder.sell(1);
    await process.until(() => refused > 0, 'the first chunk waits');
    // What comes meanwhile is in the second one, as far as there is room for it.
    await folder.sell(1);
    const { position } = folder;
    await folder.addStock(900, 15_000);
    lastChunk = 2;
    const hasManifest = () =>
      [...target.objects.keys()].some((name) => parseManifestName(name)?.position === position);
    await process.until(hasManifest, 'a manifest in between');
    // A chunk may need a new key ring first.
    target.fault = (call, name) =>
      call === 'create' && /^(base|manifests)\//.test(name) ? 'before' : undefined;
    await process.until(() => process.shipped === folder.position);
    await process.kill();
    await expectAll(target.objects);
  });

  test('what a fact names and the folder has not is damage: nothing behind it is shipped', async () => {
    await newFolder();
    const target = new MemoryTarget();
    const process = await shipping(target);
    const { shipped } = process;
    await folder.loseStock();
    await process.until(() => process.failure !== undefined);
    assert.match(String(process.failure), /product 1: the text of item \d+ is missing/);
    await process.kill();
    assert.equal((await contentsOf(target.objects)).head.position, shipped);
  });
});
