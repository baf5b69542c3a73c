/**
 * The node that may ship to a target: one, of the shop and the epoch that the target has. Each case is a target and the
 * nodes that come to it.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BackupError } from '../../src/backup/backup-error.ts';
import { chunkName, encodeChunk } from '../../src/backup/chunk.ts';
import { CleanEndMark } from '../../src/backup/clean-end/clean-end-mark.ts';
import { BACKUP_FORMAT, runName } from '../../src/backup/target-layout.ts';
import { RowCipher } from '../../src/persistence/keys/row-cipher.ts';
import { MemoryTarget } from '../support/servers/memory-target.ts';
import { BackupContents } from './backup-contents.ts';
import { backedUp, Process, withShipment } from './backup-helpers.ts';
import { WrittenFolder } from './written-folder.ts';

describe('who may ship to a target', () => {
  let folder: WrittenFolder;
  let other: WrittenFolder;

  before(async () => {
    folder = await WrittenFolder.create('fenced');
    other = await WrittenFolder.create('fencing');
    for (const each of [folder, other]) await each.sell(5);
  });
  // The next test has another target, and all in memory have one name.
  afterEach(() => new CleanEndMark(folder.path).remove());
  after(async () => {
    for (const each of [folder, other]) {
      await each.close();
      await each.remove();
    }
  });

  const ofRun = { format: BACKUP_FORMAT, epoch: 3, run: 1, fork: null, at: 1, nonce: '' };
  const halfRun = Buffer.from('{"format":');
  /** Each with what proves that a node of this shop went on there. */
  const refused: readonly {
    readonly what: string;
    readonly make: (target: MemoryTarget) => unknown;
    readonly reason: RegExp;
    readonly goneOn?: string;
  }[] = [
    { what: 'another shop', make: (target) => backedUp(other, target), reason: /another shop/ },
    {
      what: 'a higher epoch',
      make: (target) => backedUp(folder, target, { epoch: 2 }),
      reason: /epoch 2/,
      goneOn: 'epoch 2, run 1',
    },
    {
      what: 'a run of a higher epoch, and nothing else',
      make: ({ objects }) =>
        objects.set(runName(ofRun), Buffer.from(JSON.stringify({ ...ofRun, shop: folder.ring.shop }))),
      reason: /epoch 3, run 1/,
    },
    {
      what: 'a run of a higher epoch that was stored wrongly',
      make: ({ objects }) => objects.set(runName(ofRun), halfRun),
      reason: /epoch 3, run 1/,
    },
    {
      what: 'another shop, whose last run was stored wrongly',
      make: async (target) => {
        await backedUp(other, target);
        target.objects.set(runName({ epoch: 1, run: 2 }), halfRun);
      },
      reason: /another shop/,
    },
    {
      what: "facts that this folder doesn't have",
      make: ({ objects }) => {
        const to = { position: 99, hash: Buffer.alloc(32, 9) };
        const from = { position: 0, hash: Buffer.alloc(32) };
        const ends = { previous: '', from, to, lastAtMs: 1 };
        const head = { shop: folder.ring.shop, epoch: 1, series: 'base', number: 1, ...ends } as const;
        const chunk = encodeChunk(head, Buffer.alloc(0), new RowCipher(folder.ring.keys));
        objects.set(chunkName(head, 1), chunk);
      },
      reason: /facts that this data folder doesn't have/,
      goneOn: 'it shipped base/000001/000000000001-1.chunk',
    },
  ];
  for (const { what, make, reason, goneOn } of refused) {
    test(`a target with ${what} is left as it is, and a clean end stays marked`, async () => {
      const target = new MemoryTarget();
      await make(target);
      const before = new Map(target.objects);
      await assert.rejects(backedUp(folder, target), {
        name: 'BackupError',
        reason: 'fenced',
        message: reason,
      });
      assert.deepEqual(target.objects, before);
      const mark = new CleanEndMark(folder.path);
      mark.set(target.url);
      const process = new Process(folder, target);
      await process.until(() => process.failure !== undefined);
      await process.kill();
      assert.ok(BackupError.is(process.failure, 'fenced'));
      assert.equal(process.failure.goneOn, goneOn);
      assert.ok(mark.isSet);
    });
  }

  test('a target that lacks what a clean end had is as good as away: nothing is written, until the right one is there', async () => {
    const right = new Map<string, Buffer>();
    const ended = new Process(folder, new MemoryTarget(right));
    await ended.until(() => ended.shipped === folder.position);
    await ended.stop();
    const mark = new CleanEndMark(folder.path);
    const [run, chunk] = mark.read()?.objects ?? [];
    const wrong = { 'an empty one': [], 'one without the run': [run], 'an older copy': [chunk] };
    for (const [what, missing] of Object.entries(wrong)) {
      const objects = new Map(what === 'an empty one' ? [] : right);
      for (const object of missing) objects.delete(object?.name ?? assert.fail(what));
      const had = new Map(objects);
      const process = new Process(folder, new MemoryTarget(objects));
      await delay(30);
      assert.deepEqual(objects, had, what);
      assert.ok(mark.isSet, what);
      for (const [name, bytes] of right) objects.set(name, bytes);
      await process.until(() => process.shipping !== undefined, what);
      assert.ok(!mark.isSet, what);
      await process.kill();
      mark.set('memory', { objects: [run, chunk].flatMap((object) => object ?? []) });
    }
  });

  test('of a folder that ended cleanly and its copy, the second to start is refused, though neither has sold anything', async () => {
    const objects = new Map<string, Buffer>();
    const store = () => new MemoryTarget(objects);
    const ended = new Process(folder, store());
    await ended.until(() => ended.shipped === folder.position);
    await ended.stop();
    const copy = await WrittenFolder.copyOf(folder);
    // It dies when its run is there, and before the mark is gone.
    const first = store();
    const second = runName({ epoch: 1, run: 2 });
    first.fault = (call, name) => (call === 'read' && name === second ? 'before' : undefined);
    const died = new Process(copy, first);
    await died.until(() => objects.has(second));
    await died.kill();
    assert.ok(new CleanEndMark(copy.path).isSet);
    const again = new Process(copy, store());
    await again.until(() => again.shipping !== undefined || again.failure !== undefined);
    assert.ok(!new CleanEndMark(copy.path).isSet, String(again.failure));
    const old = new Process(folder, store());
    await old.until(() => old.failure !== undefined);
    assert.equal((old.failure as BackupError).goneOn, 'epoch 1, run 2');
    assert.ok(new CleanEndMark(folder.path).isSet);
    await again.stop();
    const behind = new Process(folder, store());
    await behind.until(() => behind.failure !== undefined);
    for (const each of [old, behind]) await each.kill();
    await copy.close();
    await copy.remove();
  });

  test('of a folder and its copy that start at the same moment, one is refused', async () => {
    const objects = new Map<string, Buffer>();
    const ended = new Process(folder, new MemoryTarget(objects));
    await ended.until(() => ended.shipped === folder.position);
    await ended.stop();
    const copy = await WrittenFolder.copyOf(folder);
    let looked = 0;
    const both = [folder, copy].map((each) => {
      const target = new MemoryTarget(objects);
      const { create } = target;
      // Both have looked when the first one writes.
      target.create = async (name, ...rest) => {
        if (name.startsWith('runs/')) looked += 1;
        while (looked < 2) await delay(1);
        return await create.call(target, name, ...rest);
      };
      return new Process(each, target);
    });
    for (const each of both)
      await each.until(() => each.failure !== undefined || each.shipping !== undefined);
    assert.equal(both.filter(({ shipping }) => shipping !== undefined).length, 1);
    const failure = both.map((each) => each.failure).find((each) => each !== undefined);
    assert.equal((failure as BackupError).goneOn, 'epoch 1, run 2');
    for (const each of both) await each.kill();
    await copy.close();
    await copy.remove();
  });

  test('of two restores of one backup, the second finds the run of the first', async () => {
    const target = new MemoryTarget();
    const begin = (begun: number) => withShipment(folder, target, { epoch: 2, begun });
    await begin(1_000);
    await begin(1_000);
    await assert.rejects(begin(1_001), { name: 'BackupError', reason: 'fenced', goneOn: 'epoch 2, run 2' });
    // At the same moment: it has looked when the other one's run was not there yet.
    const { list } = target;
    target.list = async function* (prefix, options) {
      if (prefix !== 'runs/') yield* list.call(target, prefix, options);
      else target.list = list;
    };
    target.objects.delete(runName({ epoch: 2, run: 2 }));
    await assert.rejects(begin(1_001), { name: 'BackupError', reason: 'fenced', goneOn: 'epoch 2, run 1' });
    const runs = [...target.objects.keys()].filter((name) => name.startsWith('runs/'));
    assert.deepEqual(runs, [runName({ epoch: 2, run: 1 })]);
  });

  test('who begins later fences who was there, and he writes nothing more, whatever was under way', async () => {
    const objects = new Map<string, Buffer>();
    const target = new MemoryTarget(objects);
    const first = new Process(folder, target);
    await first.until(() => first.shipping !== undefined && first.shipped === folder.position);
    const isOfLog = (name: string) => name.startsWith('log/');
    let tries = 0;
    target.fault = (call, name) => {
      if (call !== 'create' || !isOfLog(name)) return undefined;
      tries += 1;
      return 'before';
    };
    await folder.sell(1);
    await first.until(() => tries > 0);
    await withShipment(folder, new MemoryTarget(objects));
    await first.until(() => first.failure !== undefined);
    assert.ok(BackupError.is(first.failure, 'fenced'));
    const ofLog = [...objects.keys()].filter(isOfLog);
    target.fault = () => undefined;
    await delay(100);
    assert.deepEqual([...objects.keys()].filter(isOfLog), ofLog);
    await first.kill();
    const second = new Process(folder, new MemoryTarget(objects));
    await folder.sell(3);
    await second.until(() => second.shipped === folder.position);
    await second.stop();
    (await BackupContents.read(new MemoryTarget(objects), folder.ring.keys)).expectAll(folder);
  });

  test('two copies that sell at the same time meet at the next chunk', async () => {
    const copy = await WrittenFolder.copyOf(folder);
    const objects = new Map<string, Buffer>();
    const both = [folder, copy].map((each) => new Process(each, new MemoryTarget(objects)));
    await Promise.all(both.map((each) => each.until(() => each.shipped > 0 || each.failure !== undefined)));
    await folder.sell(1);
    await copy.sell(2);
    await Promise.race(both.map((each) => each.until(() => each.failure !== undefined)));
    const failure = both.map((each) => each.failure).find((each) => each !== undefined);
    assert.ok(BackupError.is(failure, 'fenced'), String(failure));
    for (const each of both) await each.kill();
    await copy.close();
    await copy.remove();
  });

  test('a higher epoch goes on from what it shares with the one before', async () => {
    const target = new MemoryTarget();
    await backedUp(folder, target);
    const chunks = [...target.objects.keys()].filter((name) => name.startsWith('base/000001/'));
    await folder.sell(2);
    await backedUp(folder, target, { epoch: 2 });
    const contents = await BackupContents.read(target, folder.ring.keys, 2);
    contents.expectAll(folder);
    assert.deepEqual(
      contents.manifest?.chunks.slice(0, chunks.length).map(({ name }) => name),
      chunks,
    );
  });
});
