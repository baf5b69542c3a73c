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
    onDamage: assert.fail,
    onDelay: delayed,
  });
  checkpointer.start();
  void checkpointer.foldNow();
  assert.match(await delay, /the disk is full/);
  assert.equal(await checkpointer.reach(engine.durablePosition, 1), 'no-room');
  await checkpointer.stop();
  assert.equal(await checkpointer.reach(engine.durablePosition), 'stopping');
  assert.equal(checkpointer.position, 0);
  disk.free();
  await node.log.close();
  await node.tables.environment.close();
  disk.unmount();
  await folder.remove();
});

test('who cannot wait for a fold hears that it is slow, and not that the disk is full', async () => {
  const folder = await createTemporaryFolder('checkpointer');
  const before = await JournalFolder.open(folder.path);
  await before.append(worldFacts(WORLD));
  await before.close();
  const node = await JournalFolder.open(folder.path);
  const { engine, history } = node;
  const checkpointer = new Checkpointer({
    folder: folder.path,
    engine,
    history,
    position: 0,
    onFatal: (error) => assert.fail(String(error)),
    onDamage: assert.fail,
    onDelay: () => assert.fail('there is room'),
  });
  checkpointer.start();
  // Its thread takes longer to start.
  assert.equal(await checkpointer.reach(engine.durablePosition, 1), 'slow');
  assert.equal(await checkpointer.reach(engine.durablePosition), 'reached');
  await checkpointer.stop();
  await node.close();
  await folder.remove();
});
