/**
 * A target that loses what was there while the node ships: the node begins anew by itself, until all is there again and can
 * be restored. And a target where somebody has changed runs and manifests: they count for nothing.
 */
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { BackupError } from '../../src/backup/backup-error.ts';
import { CleanEndMark } from '../../src/backup/clean-end/clean-end-mark.ts';
import type { BackupTarget } from '../../src/backup/target/backup-target.ts';
import { FolderTarget } from '../../src/backup/target/folder-target.ts';
import { BackupSource } from '../../src/restore/backup-source.ts';
import { planRestore } from '../../src/restore/restore-plan.ts';
import { givenMasterKey } from '../../src/restore/restored-keys.ts';
import { masterKeyIn } from '../suites/restore/hand-made-backup.ts';
import { MemoryTarget } from '../support/servers/memory-target.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts';
import { BackupContents } from './backup-contents.ts';
import { Process } from './backup-helpers.ts';
import { WrittenFolder } from './written-folder.ts';

describe('a target that is not what it was', () => {
  let folder: WrittenFolder;
  let targets: TemporaryFolder;
  const processes: Process[] = [];

  before(async () => {
    folder = await WrittenFolder.create('lost-target');
    targets = await createTemporaryFolder('lost');
    await folder.addStock(50);
  });
  // The next test has another target, and all in memory have one name.
  afterEach(() => new CleanEndMark(folder.path).remove());
  after(async () => {
    for (const process of processes) await process.kill();
    await folder.close();
    await folder.remove();
    await targets.remove();
  });

  /** A process that has shipped some chunks of both series. */
  async function begun(target: BackupTarget, lookForOthersMs = 20): Promise<Process> {
    const process = new Process(folder, target, { baseMs: 30, lookForOthersMs });
    processes.push(process);
    for (let round = 0; round < 3; round += 1) {
      await folder.sell(2);
      await process.until(() => process.shipped === folder.position);
    }
    return process;
  }

  /** All is there, for who reads it and for who restores. */
  async function expectAll(target: BackupTarget): Promise<void> {
    (await BackupContents.read(target, folder.ring.keys)).expectAll(folder);
    const key = givenMasterKey(masterKeyIn(folder.path), { file: 'a file' });
    const { position, parts } = await planRestore(new BackupSource(target), key);
    assert.equal(position.position, folder.position);
    for (const { part, count } of parts) {
      let read = 0;
      for await (const _ of part.readFirst(count)) read += 1;
      assert.equal(read, count);
    }
  }

  async function expectShippedAnew(process: Process, losses: number): Promise<void> {
    await process.until(() => process.losses === losses, `loss ${losses} is seen`);
    await folder.sell(1);
    await process.until(() => process.shipped === folder.position);
    assert.equal(process.failure, undefined);
  }

  test('a folder that is empty when it comes back, and full again later', async () => {
    const path = join(targets.path, 'shop');
    const target = new FolderTarget(path, { makesFolder: true });
    const process = await begun(target);
    renameSync(path, `${path}-away`);
    mkdirSync(path);
    await expectShippedAnew(process, 1);
    await expectAll(target);
    rmSync(path, { recursive: true });
    renameSync(`${path}-away`, path);
    await expectShippedAnew(process, 2);
    await process.stop();
    await expectAll(target);
    await target.close();
  });

  test('chunks that came before the loss was seen continue nothing, and spoil nothing', async () => {
    const target = new MemoryTarget();
    const process = await begun(target, 500);
    const names = new Set(target.objects.keys());
    target.objects.clear();
    await folder.sell(1);
    // A manifest of before may still have been on its way.
    const isThere = (test: (name: string) => boolean) => [...target.objects.keys()].some(test);
    await process.until(() => isThere((name) => name.startsWith('manifests/')));
    await process.until(() => isThere((name) => /^(base|log)\//.test(name) && !names.has(name)));
    await expectShippedAnew(process, 1);
    await expectAll(target);
    await process.stop();
    await expectAll(target);
    const next = await begun(target);
    await next.stop();
    assert.equal(next.failure, undefined);
    await expectAll(target);
  });

  test('of a log with a hole, the facts behind the hole are shipped again', async () => {
    const target = new MemoryTarget();
    await (await begun(target)).kill();
    for (const name of target.objects.keys())
      if (/^(base|manifests)\//.test(name)) target.objects.delete(name);
    const [first = ''] = [...target.objects.keys()].filter((name) => name.startsWith('log/')).sort();
    target.objects.delete(first);
    const next = await begun(target);
    await next.stop();
    await expectAll(target);
  });

  // That any other change is found, too: record.test.ts.
  test('a newest run and a newest manifest that somebody has changed are named, and a new run begins without them', async () => {
    const target = new MemoryTarget();
    await (await begun(target)).kill();
    const all = [...target.objects.keys()].sort();
    const newest = (prefix: string) => all.findLast((name) => name.startsWith(prefix)) ?? assert.fail();
    const [manifest, run] = [newest('manifests/'), newest('runs/')];
    const textOf = (name: string) => String(target.objects.get(name));
    const cleanEnd = textOf(manifest).replace('"isCleanEnd":false', '"isCleanEnd":true ');
    target.objects.set(manifest, Buffer.from(cleanEnd));
    target.objects.set(run, Buffer.from(textOf(run).slice(0, 40)));
    const next = await begun(target);
    assert.deepEqual([...next.altered].sort(), [manifest, run]);
    await next.stop();
    assert.equal(next.failure, undefined);
    await expectAll(target);
  });

  test('a newer run that the shop did not write fences nobody', async () => {
    const target = new MemoryTarget();
    const process = await begun(target);
    const [own = ''] = [...target.objects.keys()].filter((name) => name.startsWith('runs/'));
    const forged = own.replace('00000001.json', '00000009.json');
    target.objects.set(forged, target.objects.get(own) ?? assert.fail());
    await process.until(() => process.altered.has(forged), 'it is named');
    await folder.sell(1);
    await process.until(() => process.shipped === folder.position);
    await process.kill();
    assert.ok(!BackupError.is(process.failure, 'fenced'));
  });
});
