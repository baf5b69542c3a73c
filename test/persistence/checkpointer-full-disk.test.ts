/**
 * A checkpoint that has no room is put off; a node that stops meanwhile leaves it to the next start. Who waits for it is
 * told whether it has no room, or only takes longer.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Checkpointer } from '../../src/persistence/checkpoint/checkpointer.ts';
import { worldFacts } from '../engine/commands.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../support/small-disk.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';
import { JournalFolder } from './journal-folder.ts';

const WORLD = { accounts: 200, products: 200, balanceMicros: 1_000_000, stock: 10 };

async function nodeIn(path: string, onDelay: (reason: string) => void) {
  const before = await JournalFolder.open(path);
  await before.append(worldFacts(WORLD));
  await before.close();
  const node = await JournalFolder.open(path);
  const { engine, history } = node;
  const onFatal = (error: unknown) => assert.fail(String(error));
  const parts = { folder: path, engine, history, position: 0, onFatal, onDamage: assert.fail, onDelay };
  const checkpointer = new Checkpointer(parts);
  return { node, checkpointer, end: engine.durablePosition };
}

test('it stops while a fold waits for room', { skip: whyNoSmallDisk() ?? false }, async () => {
  const folder = await createTemporaryFolder('checkpointer');
  const disk = mountSmallDisk(folder.path, 16);
  let tell: (reason: string) => void = () => {};
  const told = new Promise<string>((resolve) => (tell = resolve));
  const { node, checkpointer, end } = await nodeIn(disk.path, tell);
  disk.fill();
  checkpointer.start();
  void checkpointer.foldNow();
  assert.match(await told, /the disk is full/);
  assert.equal(await checkpointer.reach(end, 1), 'no-room');
  await checkpointer.stop();
  assert.equal(await checkpointer.reach(end), 'stopping');
  assert.equal(checkpointer.position, 0);
  disk.free();
  await node.close();
  disk.unmount();
  await folder.remove();
});

test('who cannot wait for a fold hears that it is slow, and not that the disk is full', async () => {
  const folder = await createTemporaryFolder('checkpointer');
  const { node, checkpointer, end } = await nodeIn(folder.path, () => assert.fail('there is room'));
  checkpointer.start();
  // Its thread takes longer to start.
  assert.equal(await checkpointer.reach(end, 1), 'slow');
  assert.equal(await checkpointer.reach(end), 'reached');
  await checkpointer.stop();
  await node.close();
  await folder.remove();
});
