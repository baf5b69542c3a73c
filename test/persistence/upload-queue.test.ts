/** Whose upload is next, who doesn't wait for it, and the semaphore that says so. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from '../../src/persistence/semaphore.ts';
import { UploadQueue } from '../../src/persistence/stock/intake/upload-queue.ts';
import { IntakeQueueFullError } from '../../src/persistence/stock/stock-errors.ts';

const PATIENCE_MS = 20;

test('who has no patience left is refused, and keeps no place in the queue', async () => {
  const queue = new UploadQueue();
  const leave = await queue.take(1);
  await assert.rejects(queue.take(1, PATIENCE_MS), IntakeQueueFullError);
  const next = queue.take(1);
  leave();
  (await next)();
});

test('whose turn comes in time has it, also after the patience is over', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const queue = new UploadQueue();
  const leave = await queue.take(1);
  const patient = queue.take(1, PATIENCE_MS);
  leave();
  const leavePatient = await patient;
  t.mock.timers.tick(PATIENCE_MS * 2);
  let isNextStarted = false;
  const next = queue.take(1).then((leaveNext) => {
    isNextStarted = true;
    leaveNext();
  });
  await Promise.resolve();
  assert.equal(isNextStarted, false);
  leavePatient();
  await next;
});

test('a semaphore has room for so much, first come, first served', async () => {
  const semaphore = new Semaphore(10);
  const order: string[] = [];
  const take = async (name: string, amount: number) => {
    const giveBack = await semaphore.take({ amount });
    order.push(name);
    return giveBack;
  };
  const [first, ...others] = [take('a', 6), take('b', 5), take('c', 1)];
  const giveBack = await (first ?? assert.fail());
  await new Promise(setImmediate);
  assert.deepEqual(order, ['a']);
  giveBack();
  giveBack();
  await Promise.all(others);
  assert.deepEqual(order, ['a', 'b', 'c']);
  const single = new Semaphore(1);
  await assert.rejects(
    single.run(() => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await single.run(async () => 'done'), 'done', 'work that fails gives its room back');
});
