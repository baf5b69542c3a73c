/** A single backup: all that a folder has is at the target when it says so, and nothing that isn't. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { backUp } from '../../src/backup/single-backup.ts';
import type { BackupTarget } from '../../src/backup/target/backup-target.ts';
import type { Manifest } from '../../src/backup/target-layout.ts';
import { MemoryTarget } from '../support/memory-target.ts';
import { isLongRun, randomFromEnvironment } from '../support/random.ts';
import { BackupContents } from './backup-contents.ts';
import { retryingFor, shippedFolder } from './backup-helpers.ts';
import { WrittenFolder } from './written-folder.ts';

const random = randomFromEnvironment();

async function backedUp(
  written: WrittenFolder,
  target: BackupTarget,
  retrying = retryingFor(0),
): Promise<Manifest> {
  const folder = shippedFolder(written);
  try {
    return await backUp({ folder, target, retrying, rest: 0, clock: Date.now });
  } finally {
    await folder.parts.close();
  }
}

describe(`a single backup (seed ${random.seed})`, () => {
  let folder: WrittenFolder;

  before(async () => {
    folder = await WrittenFolder.create('single-backup');
    await folder.addStock(1_000, 100);
    await folder.live(random, 30);
    await folder.setFile(randomBytes(9_000_000));
    await folder.sell(3);
    folder.setLane(7, 42);
  });
  after(async () => {
    await folder.close();
    await folder.remove();
  });

  test('has all that the folder has', async () => {
    const target = new MemoryTarget();
    const manifest = await backedUp(folder, target);
    const contents = await BackupContents.read(target, folder.ring.keys);
    contents.expectAll(folder);
    assert.equal(manifest.position.seq, folder.position);
    assert.equal(manifest.isCleanEnd, false);
    assert.deepEqual(contents.lanes.get(7), { accountId: 7, firstOpen: 42, pending: [] });
  });

  test('goes on where the last one ended', async () => {
    const target = new MemoryTarget();
    const first = await backedUp(folder, target);
    await folder.live(random, 10);
    const second = await backedUp(folder, target);
    assert.deepEqual(second.chunks.slice(0, first.chunks.length), first.chunks);
    (await BackupContents.read(target, folder.ring.keys)).expectAll(folder);
  });

  const rounds = isLongRun() ? 200 : 4;
  test('killed at any call, it is complete after the next that ends', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const objects = new Map<string, Buffer>();
      for (let attempts = 0; ; attempts += 1) {
        const target = new MemoryTarget(objects);
        const killed = new AbortController();
        let left = attempts > 4 ? Number.POSITIVE_INFINITY : random.between(1, 25);
        target.fault = () => {
          left -= 1;
          if (left > 0) return undefined;
          killed.abort(new Error('killed'));
          return random.pick(['before', 'after', 'cut'] as const);
        };
        const done = await backedUp(folder, target, retryingFor(0, killed.signal)).catch(() => undefined);
        if (done === undefined) continue;
        target.fault = () => undefined;
        (await BackupContents.read(target, folder.ring.keys)).expectAll(folder);
        break;
      }
      if (random.chance(0.3)) await folder.live(random, 2);
    }
  });

  test('whatever fails at times, it is complete when it says so', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const target = new MemoryTarget();
      const probability = random.pick([0.05, 0.2, 0.4]);
      target.fault = () =>
        random.chance(probability)
          ? random.pick(['before', 'after', 'cut', 'wrong', 'lie'] as const)
          : undefined;
      await backedUp(folder, target, retryingFor(60_000));
      target.fault = () => undefined;
      (await BackupContents.read(target, folder.ring.keys)).expectAll(folder);
    }
  });
});
