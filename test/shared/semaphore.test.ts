/** How much is under way at once: order, shares, and who waits. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from '../../src/shared/semaphore.ts';

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
  giveBack?.();
  giveBack?.();
  await Promise.all(others);
  assert.deepEqual(order, ['a', 'b', 'c']);
  const single = new Semaphore(1);
  await assert.rejects(
    single.run(() => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await single.run(async () => 'done'), 'done', 'work that fails gives its room back');
});

test('what there is never room for is refused, and holds nobody up', async () => {
  const semaphore = new Semaphore<string>(3, { each: 2 });
  await assert.rejects(semaphore.take({ amount: 4 }), /4 can't be taken of a semaphore that gives 3 at most/);
  await assert.rejects(semaphore.take({ sharer: 'a', amount: 3 }), RangeError);
  assert.ok(await semaphore.take({ amount: 3 }));
});

test('a sharer takes no more than its share, and what is given back is free again', () => {
  const slots = new Semaphore<string>(3, { each: 2 });
  const taken = [slots.tryTake({ sharer: 'a' }), slots.tryTake({ sharer: 'a' })];
  assert.equal(slots.tryTake({ sharer: 'a' }), undefined, 'its share');
  assert.ok(slots.tryTake({ sharer: 'b' }));
  assert.equal(slots.tryTake({ sharer: 'c' }), undefined, 'all there is');
  taken[0]?.();
  assert.ok(slots.tryTake({ sharer: 'a' }));
});

test('room is given in line, but not to those who have gone or have their share', async () => {
  const slots = new Semaphore<number>(5, { each: 4 });
  const own = [];
  for (let count = 0; count < 4; count += 1) own.push(await slots.take({ sharer: 1 }));
  assert.equal(await slots.take({ sharer: 1, patienceMs: 1 }), undefined, 'there was none for too long');
  let isGone = false;
  const gone = slots.take({ sharer: 1, patienceMs: 60_000, isGone: () => isGone });
  const next = slots.take({ sharer: 1, patienceMs: 60_000 });
  assert.ok(await slots.take({ sharer: 2 }), 'another one passes');
  isGone = true;
  own[0]?.();
  assert.equal(await gone, undefined);
  assert.ok(await next);
});

test('so many wait, and so many of one sharer; others are refused at once, or when all are', async () => {
  const slots = new Semaphore<number>(1, { waiting: 3, waitingEach: 2 });
  assert.ok(await slots.take({ sharer: 1 }));
  const waiting = [slots.take({ sharer: 1 }), slots.take({ sharer: 1 })];
  assert.equal(await slots.take({ sharer: 1 }), undefined, 'of its own too many wait');
  waiting.push(slots.take({ sharer: 2 }));
  assert.equal(await slots.take({ sharer: 3 }), undefined, 'of all too many wait');
  assert.equal(slots.waiting, 3);
  let isGone = false;
  const others = new Semaphore<number>(1, { waiting: 2 });
  const held = await others.take();
  const live = others.take();
  const gone = others.take({ isGone: () => isGone });
  isGone = true;
  const late = others.take();
  assert.equal(await gone, undefined, 'it takes no place from who comes later');
  held?.();
  (await live)?.();
  assert.ok(await late);
  slots.refuseAll(new Error('closed'));
  for (const each of waiting) await assert.rejects(each, /closed/);
});
