/**
 * The leader's stock in another folder: row by row the same, whatever is written, in whatever parts it comes, and
 * however often; and the write is answered no sooner.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { JournalFullError } from '../../../src/engine/loop/journal.ts';
import type { Ship } from '../../../src/persistence/shipping/row-shipping.ts';
import { openStockFile } from '../../../src/persistence/stock/file/stock-file.ts';
import { eventually } from '../../support/eventually.ts';
import { type Random, randomFromEnvironment } from '../../support/random.ts';
import { numbered, StockScene } from '../stock/stock-scene.ts';
import { type AllRows, allRows, inSmallParts } from './shipped-parts.ts';

/** Keys are those of `leader`, if there is one. */
async function open(t: TestContext, ship?: Ship, leader?: StockScene): Promise<StockScene> {
  const scene = await StockScene.open({ ship, keys: leader?.keys });
  t.after(() => scene.close());
  return scene;
}

async function rowsOf(scene: StockScene): Promise<AllRows> {
  const { environment, items, fingerprints, deliveries } = openStockFile(scene.file, scene.keys);
  try {
    return allRows({ items, fingerprints, deliveries });
  } finally {
    await environment.close();
  }
}

/** Texts meet again, in items and in orders. */
async function doSomething(leader: StockScene, random: Random, step: number): Promise<void> {
  const productId = random.between(1, 2);
  const texts = numbered('text', random.between(1, 200), random.between(0, 400));
  const [again, more] = ['upload', 'deliver'];
  const what = random.pick(['upload', again, 'abandon', 'withdraw', 'deliver', more, 'remove']);
  if (what === 'upload') await leader.upload(productId, texts, random.chance(0.3));
  else if (what === 'abandon') await leader.abandon(productId, texts);
  else if (what === 'withdraw') leader.withdraw(productId, random.between(0, 100), random.between(1, 30));
  else if (what === 'deliver') await leader.deliverByHand(step, productId, texts);
  else await leader.store.orderTexts.remove(random.between(1, step));
}

test('a folder that follows has the same rows, however often the parts come', async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const log: Buffer[] = [];
  const leader = await open(t, async (part) => void log.push(part));
  const follower = await open(t, undefined, leader);
  // A row of several parts.
  await leader.deliverByHand(
    1,
    1,
    Array.from({ length: 60 }, (_, at) => `${at} `.padEnd(10_000, 'long ')),
  );
  assert.ok(log.length > 1);
  for (let step = 2; step < 40; step += 1) await doSomething(leader, random, step);
  const expected = await rowsOf(leader);
  assert.ok(Object.values(expected).every((rows) => Object.keys(rows).length > 0));

  const boundaries = [0];
  for (const [place, part] of log.entries()) {
    if (await follower.store.applyRows(part)) boundaries.push(place + 1);
    if (random.chance(0.02)) await follower.reopen().then(() => again(place + 1));
  }
  assert.deepEqual(await rowsOf(follower), expected);
  await again(log.length, random.pick(boundaries));
  assert.deepEqual(await rowsOf(follower), expected);

  /** Applies the log again. A follower that begins anew begins behind a part that ended its set. */
  async function again(end: number, begin = boundaries.at(-1)): Promise<void> {
    for (const part of log.slice(begin, end)) await follower.store.applyRows(part);
  }
});

test('what was read is read from the rows that came', async (t) => {
  const log: Buffer[] = [];
  const leader = await open(t, async (part) => void log.push(part));
  const follower = await open(t, undefined, leader);
  const expected = numbered('text', 300);
  await leader.upload(1, expected);
  for (const part of inSmallParts(log, 1_000)) await follower.store.applyRows(part);
  follower.setEnd(1, leader.end(1));
  assert.deepEqual(follower.read(1), expected);
  await follower.store.orderTexts.write(7, ['by hand']);
  assert.deepEqual(follower.store.readOrderTexts(7, 1), ['by hand'], 'it leads now');
});

test('nothing is answered before the log has the rows', async (t) => {
  const waiting: (() => void)[] = [];
  const leader = await open(t, () => new Promise((resolve) => waiting.push(resolve)));
  const answered: number[] = [];
  const delivered = [1, 2].map((orderId) =>
    leader.deliverByHand(orderId, 1, [`text ${orderId}`]).then(() => answered.push(orderId)),
  );
  await eventually('both are on disk', () => {
    const file = openStockFile(leader.file, leader.keys);
    const { size } = file.deliveries;
    return file.environment.close().then(() => size === 2);
  });
  await eventually('they are on their way', () => leader.store.isShipping);
  assert.deepEqual(answered, []);
  while (answered.length < 2) {
    waiting.shift()?.();
    await delay(1);
  }
  await Promise.all(delivered);
  assert.equal(leader.store.isShipping, false);
});

test('a log without room is waited for, and one that has fenced this node for ever', async (t) => {
  let calls = 0;
  const parts: Buffer[] = [];
  const leader = await open(t, async (part) => {
    calls += 1;
    if (calls === 1) throw new JournalFullError();
    if (calls > 2) throw new Error('another node leads');
    parts.push(part);
  });
  await leader.deliverByHand(1, 1, ['one']);
  assert.deepEqual([calls, parts.length], [2, 1]);
  let isAnswered = false;
  const fenced = leader.deliverByHand(2, 1, ['two']).finally(() => (isAnswered = true));
  fenced.catch(() => {});
  await eventually('the log has refused it', () => calls === 3);
  await new Promise(setImmediate);
  assert.equal(isAnswered, false);
  await leader.closeStore();
  await assert.rejects(fenced);
});
