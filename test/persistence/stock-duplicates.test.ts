/**
 * What counts as a duplicate, and what an upload that came to nothing may leave behind: nothing that anyone
 * can see.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { numbered, StockScene, send } from './stock-scene.ts';

const PRODUCT = 7;
const OTHER = 8;

describe('duplicates', () => {
  let scene: StockScene;

  beforeEach(async () => {
    scene = await StockScene.open();
  });
  afterEach(() => scene.close());

  test('within an upload, and of what was there before, sold or not', async () => {
    assert.deepEqual(await scene.upload(PRODUCT, 'a\nb\na\r\na\n'), {
      firstItem: 0,
      added: 2,
      duplicates: 2,
    });
    assert.deepEqual(await scene.upload(PRODUCT, 'c\nb\na'), { firstItem: 2, added: 1, duplicates: 2 });
    assert.deepEqual(scene.read(PRODUCT), ['a', 'b', 'c']);
  });

  test("far apart within an upload, in the block that isn't full and in those that are", async () => {
    const lines = numbered('x', 10_000);
    const twice = [...lines, ...lines.slice(9_950), ...lines.slice(0, 50), 'new', 'new'];
    assert.deepEqual(await scene.upload(PRODUCT, twice), { firstItem: 0, added: 10_001, duplicates: 101 });
    assert.deepEqual(scene.read(PRODUCT), [...lines, 'new']);
  });

  test('of another product are none', async () => {
    await scene.upload(PRODUCT, 'a');
    assert.deepEqual(await scene.upload(OTHER, 'a'), { firstItem: 0, added: 1, duplicates: 0 });
  });

  test('of withdrawn items are none: those come back, once', async () => {
    await scene.upload(PRODUCT, 'a\nb\nc\nd\ne');
    scene.withdraw(PRODUCT, 0, 1);
    scene.withdraw(PRODUCT, 2, 2);
    assert.deepEqual(await scene.upload(PRODUCT, 'e\nd\nc\nb\na\na'), {
      firstItem: 5,
      added: 3,
      duplicates: 3,
    });
    assert.deepEqual(scene.read(PRODUCT), ['a', 'b', 'c', 'd', 'e', 'd', 'c', 'a']);
    assert.deepEqual(await scene.upload(PRODUCT, 'a\nb\nc\nd\ne'), { firstItem: 8, added: 0, duplicates: 5 });
    scene.withdraw(PRODUCT, 4, 4);
    assert.deepEqual(await scene.upload(PRODUCT, 'a\nb\nc\nd\ne'), { firstItem: 8, added: 4, duplicates: 1 });
  });

  test("are added when that is asked for, and count again when it isn't", async () => {
    assert.deepEqual(await scene.upload(PRODUCT, 'a\na\nb', true), { firstItem: 0, added: 3, duplicates: 0 });
    assert.deepEqual(await scene.upload(PRODUCT, ['b', 'c', 'c'], true), {
      firstItem: 3,
      added: 3,
      duplicates: 0,
    });
    assert.deepEqual(scene.read(PRODUCT), ['a', 'a', 'b', 'b', 'c', 'c']);
    assert.deepEqual(await scene.upload(PRODUCT, 'a\nb\nc\nd'), { firstItem: 6, added: 1, duplicates: 3 });
    scene.withdraw(PRODUCT, 1, 1);
    assert.deepEqual(await scene.upload(PRODUCT, 'a'), { firstItem: 7, added: 0, duplicates: 1 });
  });
});

describe('an upload that came to nothing', () => {
  let scene: StockScene;

  beforeEach(async () => {
    scene = await StockScene.open();
  });
  afterEach(() => scene.close());

  test('is added in full when it is sent again', async () => {
    const lines = numbered('x', 10_000);
    await scene.upload(PRODUCT, 'first');
    await scene.abandon(PRODUCT, lines);
    const stopped = await scene.begin(PRODUCT);
    await send(stopped, lines);
    stopped.close();
    for (const restart of [false, true]) {
      if (restart) await scene.reopen();
      assert.deepEqual(scene.read(PRODUCT), ['first']);
    }
    assert.deepEqual(await scene.upload(PRODUCT, lines), { firstItem: 1, added: 10_000, duplicates: 0 });
    assert.deepEqual(scene.read(PRODUCT), ['first', ...lines]);
  });

  test('has no say over its numbers once other texts have them', async () => {
    await scene.abandon(PRODUCT, 'a\nb\nc');
    assert.deepEqual(await scene.upload(PRODUCT, 'c\nx'), { firstItem: 0, added: 2, duplicates: 0 });
    assert.deepEqual(await scene.upload(PRODUCT, 'a\nb\nc\nx'), { firstItem: 2, added: 2, duplicates: 2 });
    assert.deepEqual(scene.read(PRODUCT), ['c', 'x', 'a', 'b']);
  });

  test('has none within the next upload either, whatever numbers that has reached', async () => {
    await scene.abandon(PRODUCT, numbered('a', 9_000));
    const lines = [...numbered('b', 8_999), ...numbered('a', 9_000).toReversed()];
    assert.deepEqual(await scene.upload(PRODUCT, lines), { firstItem: 0, added: 17_999, duplicates: 0 });
    assert.deepEqual(scene.read(PRODUCT), lines);
  });

  test('leaves a block that the next upload shortens, and nothing behind it', async () => {
    await scene.upload(PRODUCT, numbered('old', 10));
    await scene.abandon(PRODUCT, numbered('left', 300));
    await scene.upload(PRODUCT, numbered('new', 5));
    assert.deepEqual(scene.read(PRODUCT), [...numbered('old', 10), ...numbered('new', 5)]);
    await scene.upload(PRODUCT, [...numbered('left', 60), 'last']);
    assert.deepEqual(scene.read(PRODUCT).slice(15), [...numbered('left', 60), 'last']);
  });

  test('is not kept by the cache, while it goes on or afterwards', async () => {
    await scene.upload(PRODUCT, 'a');
    const intake = await scene.begin(PRODUCT);
    await send(intake, numbered('left', 100));
    await intake.finish();
    assert.deepEqual(scene.read(PRODUCT), ['a']);
    intake.close();
    assert.deepEqual(scene.read(PRODUCT), ['a']);
    await scene.upload(PRODUCT, 'b');
    assert.deepEqual(scene.read(PRODUCT), ['a', 'b']);
  });

  test('is not kept by a read during the next upload, which takes the same numbers', async () => {
    await scene.upload(PRODUCT, 'a');
    await scene.abandon(PRODUCT, numbered('left', 10));
    const intake = await scene.begin(PRODUCT);
    assert.deepEqual(scene.read(PRODUCT), ['a']);
    await send(intake, numbered('new', 10));
    await intake.finish();
    scene.setEnd(PRODUCT, 11);
    assert.deepEqual(scene.read(PRODUCT), ['a', ...numbered('new', 10)]);
    intake.close();
  });

  test('is forgotten by the cache even when its end was believed for a while', async () => {
    await scene.upload(PRODUCT, 'a');
    const intake = await scene.begin(PRODUCT);
    await send(intake, numbered('left', 100));
    await intake.finish();
    const { store } = scene;
    assert.equal(store.readItems(PRODUCT, 1, 100, 101).length, 100);
    intake.close();
    await scene.upload(PRODUCT, numbered('new', 100));
    assert.deepEqual(scene.read(PRODUCT), ['a', ...numbered('new', 100)]);
  });
});
