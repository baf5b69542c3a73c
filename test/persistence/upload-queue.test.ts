/** Whose upload is next, and who doesn't wait for it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UploadQueue } from '../../src/persistence/stock/intake/upload-queue.ts';
import { IntakeQueueFullError } from '../../src/persistence/stock/stock-errors.ts';

const PATIENCE_MS = 20;

test('who has no patience left is refused, and keeps no place in the queue', async () => {
  const turns = new UploadQueue();
  const leave = await turns.take(1);
  await assert.rejects(turns.take(1, PATIENCE_MS), IntakeQueueFullError);
  const next = turns.take(1);
  leave();
  (await next)();
});

test('whose turn comes in time has it, also after the patience is over', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = new UploadQueue();
  const leave = await turns.take(1);
  const patient = turns.take(1, PATIENCE_MS);
  leave();
  const leavePatient = await patient;
  t.mock.timers.tick(PATIENCE_MS * 2);
  let isNextStarted = false;
  const next = turns.take(1).then((leaveNext) => {
    isNextStarted = true;
    leaveNext();
  });
  await Promise.resolve();
  assert.equal(isNextStarted, false);
  leavePatient();
  await next;
});

test('other products wait for none of it', async () => {
  const turns = new UploadQueue();
  await turns.take(1);
  (await turns.take(2, PATIENCE_MS))();
});
