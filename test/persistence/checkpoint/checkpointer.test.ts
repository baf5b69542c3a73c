/**
 * A checkpoint that is too far behind: commands wait for it in their mailboxes, up to a number and up to a time, and go on
 * when it has caught up. One that has no room is put off; a node that stops meanwhile leaves it to the next start.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { PurchaseResult } from '../../../src/engine/decide/command.ts';
import { Rejection } from '../../../src/engine/decide/rejection.ts';
import { ACCOUNT_MAILBOX_CAPACITY } from '../../../src/engine/limits.ts';
import { Checkpointer, type CheckpointerOptions } from '../../../src/persistence/checkpoint/checkpointer.ts';
import { placeOrder, worldFacts } from '../../engine/commands.ts';
import { mountSmallDisk, whyNoSmallDisk } from '../../support/small-disk.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { JournalFolder } from '../journal/journal-folder.ts';

const MAX_RECENT_OUTCOMES = 500;
const WORLD = { accounts: 2, products: 2, balanceMicros: 100_000_000_000, stock: 20_000 };
type Answer = PurchaseResult | Rejection;
/** At least as often a checkpointer looks. */
const LOOK_MS = 250;

/** A node's engine and its checkpointer, which has not started. */
async function nodeIn(
  path: string,
  world: Parameters<typeof worldFacts>[0],
  options: Partial<CheckpointerOptions> = {},
) {
  const before = await JournalFolder.open(path);
  await before.append(worldFacts(world));
  await before.close();
  const folder = await JournalFolder.open(path, 1024 ** 3, MAX_RECENT_OUTCOMES);
  const { engine, history } = folder;
  const checkpointer = new Checkpointer({
    folder: path,
    engine,
    history,
    position: 0,
    onFatal: (error) => assert.fail(String(error)),
    onDamage: assert.fail,
    onDelay: () => assert.fail('there is room'),
    ...options,
  });
  return { folder, checkpointer };
}

/**
 * A node's engine with so many purchases that it takes no more, and a checkpointer that hasn't looked yet. The
 * checkpointer looks when the test says so: by the machine's clock it would fold in the middle of a test that is slow.
 */
async function stalled(context: TestContext, maxStallMs: number) {
  const temporary = await createTemporaryFolder('behind');
  const { folder, checkpointer } = await nodeIn(temporary.path, WORLD, { maxStallMs });
  const { engine } = folder;
  let nowMs = 0;
  context.mock.method(performance, 'now', () => nowMs);
  context.mock.timers.enable({ apis: ['setInterval'] });
  checkpointer.start();
  context.after(async () => {
    await engine.idle();
    await checkpointer.stop();
    await folder.close();
    await temporary.remove();
  });
  const buy = (idempotencyKey: string) =>
    new Promise<Answer>((resolve) =>
      engine.submit(placeOrder({ idempotencyKey }), (result) => resolve(result as Answer)),
    );
  // Most of them together, which is fewer commits.
  for (let group = 0; group < MAX_RECENT_OUTCOMES / 25 - 1; group += 1)
    await Promise.all(Array.from({ length: 25 }, (_, index) => buy(`before ${group} ${index}`)));
  for (let count = 0; engine.acceptsCommands; count += 1) {
    const answer = await buy(`before ${count}`);
    assert.ok(!(answer instanceof Rejection));
  }
  /** The checkpointer looks, so much later. */
  const lookAfter = (ms: number) => {
    nowMs += ms;
    context.mock.timers.tick(LOOK_MS);
  };
  return { folder, checkpointer, buy, lookAfter };
}

const codeOf = (answer: Answer) => (answer instanceof Rejection ? answer.code : 'bought');

test('what fits the mailbox waits, the rest is told to retry, and all that waited is bought', async (context) => {
  const { folder, checkpointer, buy, lookAfter } = await stalled(context, 60_000);
  const waiting = Array.from({ length: ACCOUNT_MAILBOX_CAPACITY }, (_, index) => buy(`waits ${index}`));
  for (let index = 0; index < 100; index += 1) {
    assert.equal(codeOf(await buy(`too many ${index}`)), 'RATE_LIMITED');
  }
  const { durablePosition: facts } = folder.engine;
  assert.deepEqual(checkpointer.lag, { facts, ms: 0 }, 'it has not looked yet');
  lookAfter(1_000);
  lookAfter(2_000);
  assert.deepEqual(checkpointer.lag, { facts, ms: 2_000 }, 'for so long the oldest of them has been missing');
  assert.equal(folder.engine.waitingCommands, ACCOUNT_MAILBOX_CAPACITY);
  let folds = 0;
  for (; folder.engine.waitingCommands > 0; folds += 1) await checkpointer.foldNow();
  assert.ok(folds > 2, `one fold makes room for ${MAX_RECENT_OUTCOMES} purchases; there were ${folds}`);
  assert.deepEqual(new Set((await Promise.all(waiting)).map(codeOf)), new Set(['bought']));
  await checkpointer.foldNow();
  assert.deepEqual(checkpointer.lag, { facts: 0, ms: 0 });
});

test('what has waited too long is told to retry, and the same key buys when there is room again', async (context) => {
  const { folder, checkpointer, buy, lookAfter } = await stalled(context, 300);
  const waiting = Array.from({ length: 50 }, (_, index) => buy(`waits ${index}`));
  lookAfter(0);
  lookAfter(299);
  assert.equal(folder.engine.waitingCommands, 50, 'not too long yet');
  lookAfter(1);
  assert.deepEqual(new Set((await Promise.all(waiting)).map(codeOf)), new Set(['RATE_LIMITED']));
  const later = buy('later');
  lookAfter(1);
  assert.equal(codeOf(await later), 'RATE_LIMITED', 'as long as it is behind');
  assert.equal(folder.engine.acceptsCommands, false);
  await folder.engine.idle();
  const { lastOrderId } = folder.engine.state;
  await checkpointer.foldNow();
  assert.ok(folder.engine.acceptsCommands);
  for (let index = 0; index < 50; index += 1) assert.equal(codeOf(await buy(`waits ${index}`)), 'bought');
  assert.equal(folder.engine.state.lastOrderId, lastOrderId + 50);
});

const LARGE_WORLD = { accounts: 200, products: 200, balanceMicros: 1_000_000, stock: 10 };

test('it stops while a fold waits for room, and who waits for it is told why', {
  skip: whyNoSmallDisk() ?? false,
}, async () => {
  const temporary = await createTemporaryFolder('checkpointer');
  const disk = mountSmallDisk(temporary.path, 16);
  let tell: (reason: string) => void = () => {};
  const told = new Promise<string>((resolve) => (tell = resolve));
  const { folder, checkpointer } = await nodeIn(disk.path, LARGE_WORLD, { onDelay: tell });
  const end = folder.engine.durablePosition;
  disk.fill();
  checkpointer.start();
  // Its thread takes longer to start.
  assert.equal(await checkpointer.reach(end, 1), 'slow');
  assert.match(await told, /the disk is full/);
  assert.equal(await checkpointer.reach(end, 1), 'no-room');
  await checkpointer.stop();
  assert.equal(await checkpointer.reach(end), 'stopping');
  assert.equal(checkpointer.position, 0);
  disk.free();
  await folder.close();
  disk.unmount();
  await temporary.remove();
});
