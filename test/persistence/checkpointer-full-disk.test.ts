/** A checkpoint that has no room is put off; a node that stops meanwhile leaves it to the next start. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Checkpointer } from '../../src/persistence/checkpoint/checkpointer.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../crash/small-disk.ts';
import { worldFacts } from '../engine/commands.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { JournalFolder } from './journal-folder.ts';

const WORLD = { accounts: 200, products: 200, balanceMicros: 1_000_000, stock: 10 };

test('it stops while a fold waits for room', { skip: whyNoSmallDisk() ?? false }, async () => {
  const folder = await createTemporaryFolder('checkpointer');
  const disk = mountSmallDisk(folder.path, 16);
  const before = await JournalFolder.open(disk.path);
  await before.append(worldFacts(WORLD));
  await before.close();
  const { engine, history, ...node } = await JournalFolder.open(disk.path);
  disk.fill();
  let delayed: (reason: string) => void = () => {};
  const delay = new Promise<string>((resolve) => {
    delayed = resolve;
  });
  const checkpointer = new Checkpointer({
    folder: disk.path,
    engine,
    history,
    position: 0,
    onFatal: (error) => assert.fail(String(error)),
    onDelay: delayed,
  });
  checkpointer.start();
  void checkpointer.foldNow();
  assert.match(await delay, /the disk is full/);
  await checkpointer.stop();
  assert.equal(checkpointer.position, 0);
  disk.free();
  await node.log.close();
  await node.tables.environment.close();
  disk.unmount();
  await folder.remove();
});
