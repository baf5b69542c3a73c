/** The state of a bot: bounded, whole after a kill, and one bot's alone. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BotState } from '../../src/bot/state/bot-state.ts';
import type { KeptUpdate } from '../../src/bot/telegram/kept-update.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

it('what was kept is there again, and a copy is due once', async (context) => {
  const folder = await createTemporaryFolder('bot-state');
  context.after(() => folder.remove());
  let state = await BotState.open(folder.path);
  const reopen = async () => {
    await state.close();
    state = await BotState.open(folder.path);
  };
  const copy = (orderId: number) => ({ orderId, accountId: 1 });
  const copies = () => Array.from(state.copies.entries(), ([, { orderId, isTold }]) => [orderId, isTold]);
  state.keepPage([copy(1), copy(2)], { after: 10, epoch: 1 });
  const [[first = 0] = []] = Array.from(state.copies.entries());
  state.tellCopies([first]);
  await reopen();
  assert.deepEqual(state.feedPlace, { after: 10, epoch: 1 });
  assert.deepEqual(copies(), [
    [1, true],
    [2, undefined],
  ]);
  state.endCopies([first]);
  state.keepPage([copy(1), copy(2), copy(3)], { after: 8, epoch: 2 });
  await reopen();
  assert.deepEqual(
    copies().map(([orderId]) => orderId),
    [2, 3],
  );
  assert.deepEqual(state.feedPlace, { after: 8, epoch: 2 });

  const update = { chatId: 7, update: { update_id: 5 } } as KeptUpdate;
  const [number = 0] = state.keepUpdates([update], { updateId: 5, atMs: 1 });
  state.setBlocked(7, true);
  state.keepQuestion({ chatId: 7, id: 'm1' });
  state.keepQuestion({ chatId: 7, id: 'm1', end: { text: 'buyNo', values: {} } });
  await reopen();
  assert.deepEqual([...state.updates.entries()], [[number, update]]);
  assert.deepEqual(state.updatePlace, { updateId: 5, atMs: 1 });
  assert.equal(state.question(7, 'm1')?.end?.text, 'buyNo');
  assert.equal(state.question(8, 'm1'), undefined);
  assert.deepEqual([state.isBlocked(7), state.blockedChats], [true, 1]);
  state.endUpdate(number);
  state.setBlocked(7, false);
  await reopen();
  assert.deepEqual([state.updates.size, state.blockedChats], [0, 0]);
  await state.close();
});

it('of another bot, the copies that are due and the place in the feed stay, and nothing else', async (context) => {
  const folder = await createTemporaryFolder('bot-state');
  const state = await BotState.open(folder.path);
  context.after(async () => {
    await state.close();
    await folder.remove();
  });
  const feed = { after: 10, epoch: 1 };
  const fill = () => {
    state.keepUpdates([{ chatId: 7, update: { update_id: 5 } } as KeptUpdate], { updateId: 5, atMs: 1 });
    state.setBlocked(7, true);
    state.keepQuestion({ chatId: 7, id: 'm1' });
  };
  const kept = () => [
    state.updates.size,
    state.updatePlace?.updateId,
    state.isBlocked(7),
    state.question(7, 'm1')?.id,
  ];
  state.keepPage([{ orderId: 1, accountId: 1 }], feed);
  fill();
  // A folder of a bot that kept no id of its own.
  state.keepFor(1);
  state.keepFor(1);
  assert.deepEqual(kept(), [1, 5, true, 'm1']);
  state.keepFor(2);
  assert.deepEqual(kept(), [0, undefined, false, undefined]);
  assert.deepEqual([state.copies.size, state.feedPlace], [1, feed]);
  fill();
  assert.deepEqual(kept(), [1, 5, true, 'm1']);
});

it('questions are bounded: the oldest go', async (context) => {
  const folder = await createTemporaryFolder('bot-state');
  const state = await BotState.open(folder.path, { mostQuestions: 3 });
  context.after(async () => {
    await state.close();
    await folder.remove();
  });
  for (const id of ['a', 'b', 'c', 'd']) state.keepQuestion({ chatId: 1, id });
  assert.deepEqual(
    ['a', 'b', 'd'].map((id) => state.question(1, id)?.id),
    [undefined, 'b', 'd'],
  );
});

it('a folder has one bot at a time', async (context) => {
  const folder = await createTemporaryFolder('bot-state');
  const state = await BotState.open(folder.path);
  context.after(() => folder.remove());
  await assert.rejects(
    BotState.open(folder.path),
    new RegExp(
      `^Error: the state folder ${folder.path} is in use by another bot \\(pid ${process.pid}\\): stop it`,
    ),
  );
  await state.close();
  await (await BotState.open(folder.path)).close();
});
