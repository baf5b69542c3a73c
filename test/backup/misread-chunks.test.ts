/**
 * A store that answers a reading wrongly, and the next one rightly, when a node begins: what that one then writes and
 * says to be there can be restored. A chunk that was taken for damaged must not be written anew beside those that name it.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BackupSource } from '../../src/restore/backup-source.ts';
import { planRestore } from '../../src/restore/restore-plan.ts';
import { givenMasterKey } from '../../src/restore/restored-keys.ts';
import { masterKeyIn } from '../suites/restore/hand-made-backup.ts';
import { MemoryTarget } from '../support/servers/memory-target.ts';
import { Process } from './backup-helpers.ts';
import { WrittenFolder } from './written-folder.ts';

describe('chunks that are read wrongly when a node begins', () => {
  let folder: WrittenFolder;
  const processes: Process[] = [];

  before(async () => {
    folder = await WrittenFolder.create('misread-chunks');
    await folder.addStock(10);
  });
  after(async () => {
    for (const process of processes) await process.kill();
    await folder.close();
    await folder.remove();
  });

  function begun(target: MemoryTarget): Process {
    const process = new Process(folder, target);
    processes.push(process);
    return process;
  }

  /** Names of the chunks of a series that are there. */
  function chunksOf({ objects }: MemoryTarget, series: 'base' | 'log'): string[] {
    return [...objects.keys()].filter((name) => name.startsWith(`${series}/`)).sort();
  }

  /** Another connection, which reads each of these wrongly so many times. */
  function misreading(target: MemoryTarget, names: readonly string[], times: number): MemoryTarget {
    const left = new Map(names.map((name) => [name, times]));
    const misreads = new MemoryTarget(target.objects);
    misreads.fault = (call, name) => {
      const more = call === 'read' ? (left.get(name) ?? 0) : 0;
      if (more === 0) return target.fault(call, name);
      left.set(name, more - 1);
      return 'wrong';
    };
    return misreads;
  }

  /** The last fact that a restore has. */
  async function restored({ objects }: MemoryTarget): Promise<number> {
    const key = givenMasterKey(masterKeyIn(folder.path), { file: 'a file' });
    const { position, parts } = await planRestore(new BackupSource(new MemoryTarget(objects)), key);
    for (const { part, count } of parts) {
      let read = 0;
      for await (const _ of part.readFirst(count)) read += 1;
      assert.equal(read, count);
    }
    return position.position;
  }

  test('the last two of `log`: what is shipped next is restored', async () => {
    const target = new MemoryTarget();
    const first = begun(target);
    await first.until(() => first.shipped === folder.position);
    for (let chunk = 0; chunk < 3; chunk += 1) {
      await folder.sell(1);
      await first.until(() => first.shipped === folder.position);
    }
    await first.kill();
    await folder.sell(1);
    const next = begun(misreading(target, chunksOf(target, 'log').slice(-2), 3));
    await next.until(() => next.shipped === folder.position);
    await next.kill();
    assert.equal(await restored(target), folder.position);
  });

  test('one that was removed after it was listed is read once, and one that is only said to be missing, again', async () => {
    const target = new MemoryTarget();
    const first = begun(target);
    for (let chunk = 0; chunk < 3; chunk += 1) {
      await folder.sell(1);
      await first.until(() => first.shipped === folder.position);
    }
    await first.kill();
    const [hidden = '', removed = ''] = chunksOf(target, 'log').slice(-2);
    const reads = { [hidden]: 0, [removed]: 0 };
    const failing = new MemoryTarget(target.objects);
    failing.fault = (call, name) => {
      // Once something is written, the node has found its place.
      if (call === 'create') failing.fault = () => undefined;
      const count = call === 'read' ? reads[name] : undefined;
      if (count === undefined) return undefined;
      reads[name] = count + 1;
      if (name === removed) target.objects.delete(name);
      return count < 3 ? 'lie' : undefined;
    };
    await folder.sell(1);
    const next = begun(failing);
    await next.until(() => next.shipped === folder.position);
    await next.kill();
    assert.deepEqual(Object.values(reads), [4, 1]);
    assert.equal(await restored(target), folder.position);
  });

  test('the first of `base` that no manifest lists: those behind it continue it', async () => {
    const target = new MemoryTarget();
    target.fault = (call, name) =>
      call === 'create' && name.startsWith('manifests/') ? 'before' : undefined;
    const shipChunk = async (connection: MemoryTarget, count: number) => {
      await folder.sell(1);
      const process = begun(connection);
      await process.until(() => chunksOf(target, 'base').length === count, `${count} chunks of the base`);
      await process.kill();
    };
    for (let count = 1; count <= 3; count += 1) await shipChunk(target, count);
    await shipChunk(misreading(target, chunksOf(target, 'base').slice(0, 1), 1), 4);
    assert.equal(await restored(target), folder.position);
  });
});
