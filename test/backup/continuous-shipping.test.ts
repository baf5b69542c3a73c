/** The shipping of a running node: what is said to be at the target can be read back, in order, and makes the journal. */
import assert from 'node:assert/strict';
import { after, beforeEach, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { parseChunkName } from '../../src/backup/chunk.ts';
import { CleanEndMark } from '../../src/backup/clean-end-mark.ts';
import { FencedError } from '../../src/backup/fenced-error.ts';
import { parseManifestName } from '../../src/backup/manifests.ts';
import { Shipment } from '../../src/backup/shipment.ts';
import { MemoryTarget } from '../support/memory-target.ts';
import { isLongRun, randomFromEnvironment } from '../support/random.ts';
import { BackupContents } from './backup-contents.ts';
import { Process, retryingFor, shippedFolder } from './backup-helpers.ts';
import { WrittenFolder } from './written-folder.ts';

const random = randomFromEnvironment();

describe(`shipping all the time (seed ${random.seed})`, () => {
  const folders: WrittenFolder[] = [];
  let folder: WrittenFolder;

  beforeEach(async () => {
    folder = await WrittenFolder.create('continuous');
    folders.push(folder);
    await folder.addStock(300);
    await folder.sell(10);
  });
  after(async () => {
    for (const each of folders) {
      await each.close();
      await each.remove();
    }
  });

  function contentsOf(objects: Map<string, Buffer>): Promise<BackupContents> {
    return BackupContents.read(new MemoryTarget(objects), folder.ring.keys);
  }

  test('ships what comes, and marks a clean end', async () => {
    const target = new MemoryTarget();
    const process = new Process(folder, target);
    for (let round = 0; round < 5; round += 1) {
      await folder.live(random, 3);
      folder.setLane(3, round + 1);
      await process.until(() => process.shipped === folder.position);
    }
    await folder.sell(2);
    folder.setLane(3, 99);
    await process.stop();
    assert.equal(process.failure, undefined);
    const contents = await contentsOf(target.objects);
    contents.expectAll(folder);
    assert.equal(contents.manifest?.isCleanEnd, true);
    assert.equal(contents.manifest?.position.seq, folder.position);
    assert.equal(contents.lanes.get(3)?.firstOpen, 99);
  });

  test('a clean end is marked in the folder before it is at the target, until a newer run is there', async () => {
    const target = new MemoryTarget();
    const mark = new CleanEndMark(folder.path);
    const first = new Process(folder, target);
    await first.until(() => first.shipped === folder.position);
    let markedAtLast = false;
    target.fault = (call, name) => {
      if (call === 'create' && name.startsWith('manifests/')) markedAtLast = mark.isSet;
      return undefined;
    };
    await first.stop();
    assert.ok(markedAtLast);
    assert.throws(() => mark.expectAt(undefined), /start it with --backup memory, or, .* remove .*clean-end/);
    assert.throws(() => mark.expectAt('/elsewhere'), /start it with --backup memory/);
    mark.set('/mnt/shop');
    mark.expectAt('/mnt/shop');
    target.fault = (call) => (call === 'create' ? 'before' : undefined);
    // A folder that was restored from elsewhere is no longer bound to that, once its run is here.
    mark.set('/elsewhere', { isRestored: true });
    const second = new Process(folder, target);
    await delay(50);
    assert.ok(mark.isSet);
    target.fault = () => undefined;
    await second.until(() => second.shipping !== undefined);
    assert.ok(!mark.isSet);
    await second.kill();
    const runs = [...target.objects.keys()].filter((name) => name.startsWith('runs/'));
    assert.equal(runs.length, 2);
  });

  test('killed again and again, at a target that fails and lies, it loses nothing that it said was there', async () => {
    const objects = new Map<string, Buffer>();
    const rounds = isLongRun() ? 200 : 10;
    for (let round = 0; round < rounds; round += 1) {
      const target = new MemoryTarget(objects);
      const probability = random.pick([0, 0.1, 0.3]);
      target.fault = () =>
        random.chance(probability)
          ? random.pick(['before', 'after', 'cut', 'wrong', 'lie', 'full', 'refused'] as const)
          : undefined;
      const process = new Process(folder, target, { baseMs: random.pick([10, 60_000]) });
      await folder.live(random, random.between(1, 4));
      const isClean = random.chance(0.2);
      if (isClean) {
        await process.until(() => process.shipped > 0);
        await process.stop();
      } else {
        await delay(random.between(0, 80));
        await process.kill();
      }
      const { shipped } = process;
      if (process.failure instanceof FencedError) throw process.failure;
      const contents = await contentsOf(objects);
      assert.ok(contents.head.position >= shipped, `${contents.head.position} of ${shipped}`);
      if (isClean) contents.expectAll(folder);
    }
    const last = new Process(folder, new MemoryTarget(objects));
    await last.until(() => last.shipped === folder.position);
    await last.stop();
    (await contentsOf(objects)).expectAll(folder);
  });

  test('a new key ring takes the place of the old one at once, without a fact', async () => {
    const target = new MemoryTarget();
    const process = new Process(folder, target, { intervalMs: 60_000 });
    await process.until(() => process.shipping !== undefined && process.shipped === folder.position);
    const rings = () => [...target.objects].filter(([name]) => name.startsWith('keys/'));
    const before = rings().at(-1);
    folder.ring.rekey();
    await process.shipping?.shipRing();
    await process.kill();
    const [after, ...others] = rings();
    assert.deepEqual(others, []);
    assert.notEqual(after?.[0], before?.[0]);
    assert.ok(before !== undefined && after !== undefined && !after[1].equals(before[1]));
  });

  test('the lanes of very many accounts take several chunks', async () => {
    const target = new MemoryTarget();
    const shipped = shippedFolder(folder);
    const options = { folder: shipped, target, retrying: retryingFor(0), rest: 0, clock: Date.now };
    const shipment = await Shipment.begin(options);
    const pending = Array.from({ length: 1_000 }, (_, index) => 1e12 + index);
    const lanes = Array.from({ length: 1_500 }, (_, index) => ({
      accountId: index + 1,
      firstOpen: 2e12,
      pending: index < 1_000 ? pending : [],
    }));
    await shipment.shipBase(undefined, lanes);
    await shipment.writeManifest(0);
    await shipment.close();
    await shipped.parts.close();
    const { lanes: read, manifest } = await contentsOf(target.objects);
    assert.deepEqual([...read.values()], lanes);
    assert.ok(manifest !== undefined && manifest.chunks.length > 1);
    for (const { bytes } of manifest.chunks) assert.ok(bytes < 12 * 1024 * 1024, String(bytes));
  });

  test('what a fact names and the folder has not is damage: nothing behind it is shipped', async () => {
    const target = new MemoryTarget();
    const process = new Process(folder, target);
    await process.until(() => process.shipped === folder.position);
    const { shipped } = process;
    await folder.loseStock();
    await process.until(() => process.failure !== undefined);
    assert.match(String(process.failure), /product 1: the text of item \d+ is missing/);
    await process.kill();
    const { head } = await contentsOf(target.objects);
    assert.equal(head.position, shipped);
  });

  test('where `base` ends, a chunk of `log` may have what the next fact names: that chunk is still needed', async () => {
    const target = new MemoryTarget();
    const process = new Process(folder, target, { baseMs: 5 });
    await process.until(() => process.shipped === folder.position);
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
    (await contentsOf(target.objects)).expectAll(folder);
  });

  test('catches up when the target was away', async () => {
    const target = new MemoryTarget();
    const process = new Process(folder, target);
    await process.until(() => process.shipped === folder.position);
    target.fault = () => 'before';
    await folder.live(random, 10);
    await delay(50);
    assert.ok(process.shipped < folder.position);
    target.fault = () => undefined;
    await process.until(() => process.shipped === folder.position);
    await process.kill();
    (await contentsOf(target.objects)).expectAll(folder);
  });
});
