/**
 * What counts as a duplicate, and what an upload that came to nothing may leave behind: nothing that anyone
 * can see.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { numbered, StockScene, send } from './stock-scene.ts';

/** Opening a store starts a thread, so all tests share one, and each has products of its own. */
let scene: StockScene;
let product = 7;
let other = 8;
before(async () => {
  scene = await StockScene.open();
});
beforeEach(() => {
  product += 2;
  other += 2;
});
after(() => scene.close());

describe('duplicates', () => {
  test('within an upload, and of what was there before, sold or not', async () => {
    assert.deepEqual(await scene.upload(product, 'a\nb\na\r\na\n'), {
      firstItem: 0,
      added: 2,
      duplicates: 2,
    });
    assert.deepEqual(await scene.upload(product, 'c\nb\na'), { firstItem: 2, added: 1, duplicates: 2 });
    assert.deepEqual(scene.read(product), ['a', 'b', 'c']);
  });

  test("far apart within an upload, in the block that isn't full and in those that are", async () => {
    const lines = numbered('x', 10_000);
    const twice = [...lines, ...lines.slice(9_950), ...lines.slice(0, 50), 'new', 'new'];
    assert.deepEqual(await scene.upload(product, twice), { firstItem: 0, added: 10_001, duplicates: 101 });
    assert.deepEqual(scene.read(product), [...lines, 'new']);
  });

  test('of another product are none', async () => {
    await scene.upload(product, 'a');
    assert.deepEqual(await scene.upload(other, 'a'), { firstItem: 0, added: 1, duplicates: 0 });
  });

  test('of withdrawn items are none: those come back, once', async () => {
    await scene.upload(product, 'a\nb\nc\nd\ne');
    scene.withdraw(product, 0, 1);
    scene.withdraw(product, 2, 2);
    assert.deepEqual(await scene.upload(product, 'e\nd\nc\nb\na\na'), {
      firstItem: 5,
      added: 3,
      duplicates: 3,
    });
    assert.deepEqual(scene.read(product), ['a', 'b', 'c', 'd', 'e', 'd', 'c', 'a']);
    assert.deepEqual(await scene.upload(product, 'a\nb\nc\nd\ne'), { firstItem: 8, added: 0, duplicates: 5 });
    scene.withdraw(product, 4, 4);
    assert.deepEqual(await scene.upload(product, 'a\nb\nc\nd\ne'), { firstItem: 8, added: 4, duplicates: 1 });
  });

  test("are added when that is asked for, and count again when it isn't", async () => {
    assert.deepEqual(await scene.upload(product, 'a\na\nb', true), { firstItem: 0, added: 3, duplicates: 0 });
    assert.deepEqual(await scene.upload(product, ['b', 'c', 'c'], true), {
      firstItem: 3,
      added: 3,
      duplicates: 0,
    });
    assert.deepEqual(scene.read(product), ['a', 'a', 'b', 'b', 'c', 'c']);
    assert.deepEqual(await scene.upload(product, 'a\nb\nc\nd'), { firstItem: 6, added: 1, duplicates: 3 });
    scene.withdraw(product, 1, 1);
    assert.deepEqual(await scene.upload(product, 'a'), { firstItem: 7, added: 0, duplicates: 1 });
  });
});

describe('a recalled text', () => {
  test('is never added again, whoever has or had it besides', async () => {
    const others: [who: string, come: (of: number) => Promise<unknown>][] = [
      ['nobody', async () => undefined],
      ['an item before', (of) => scene.upload(of, 'r', true)],
      ['an order before', (of) => scene.deliverByHand(of, of, ['r'])],
    ];
    for (const [index, [who, come]] of others.entries()) {
      const of = product + 1_000 * (index + 1);
      await come(of);
      const lot = await scene.upload(of, 'x\nr', true);
      await scene.upload(of, ['r', 'y', 'r'], true);
      scene.recall(of, lot.firstItem, lot.added);
      scene.withdraw(of, lot.firstItem, lot.added);
      for (const allowDuplicates of [false, true]) {
        const { added, duplicates, recalled } = await scene.upload(of, 'r\nr\nx\nr', allowDuplicates);
        assert.deepEqual({ added, duplicates, recalled }, { added: 0, duplicates: 4, recalled: 4 }, who);
      }
    }
  });
});

describe('a dry run', () => {
  test('says what an upload would do, and keeps nobody from a text', async () => {
    await scene.upload(product, 'a\nb');
    const lines = [...numbered('x', 10_000), 'b', 'x-7', 'a'];
    const dry = await scene.begin(product, false, true);
    await send(dry, lines);
    const { added, duplicates, lines: said } = await dry.finish();
    assert.deepEqual([added, duplicates], [10_000, 3]);
    assert.deepEqual(said?.duplicates.first, [10_001, 10_002, 10_003]);
    assert.equal(await scene.claim(1, product, ['x-1']), true);
    dry.close();
    assert.deepEqual(scene.read(product), ['a', 'b']);
    assert.deepEqual(await scene.upload(product, lines), { firstItem: 2, added: 9_999, duplicates: 4 });
  });
});

describe('an upload that came to nothing', () => {
  test('is added in full when it is sent again', async () => {
    const lines = numbered('x', 10_000);
    await scene.upload(product, 'first');
    await scene.abandon(product, lines);
    const stopped = await scene.begin(product);
    await send(stopped, lines);
    stopped.close();
    for (const restart of [false, true]) {
      if (restart) await scene.reopen();
      assert.deepEqual(scene.read(product), ['first']);
    }
    assert.deepEqual(await scene.upload(product, lines), { firstItem: 1, added: 10_000, duplicates: 0 });
    assert.deepEqual(scene.read(product), ['first', ...lines]);
  });

  test('has no say over its numbers once other texts have them', async () => {
    await scene.abandon(product, 'a\nb\nc');
    assert.deepEqual(await scene.upload(product, 'c\nx'), { firstItem: 0, added: 2, duplicates: 0 });
    assert.deepEqual(await scene.upload(product, 'a\nb\nc\nx'), { firstItem: 2, added: 2, duplicates: 2 });
    assert.deepEqual(scene.read(product), ['c', 'x', 'a', 'b']);
  });

  test('has none within the next upload either, whatever numbers that has reached', async () => {
    await scene.abandon(product, numbered('a', 9_000));
    const lines = [...numbered('b', 8_999), ...numbered('a', 9_000).toReversed()];
    assert.deepEqual(await scene.upload(product, lines), { firstItem: 0, added: 17_999, duplicates: 0 });
    assert.deepEqual(scene.read(product), lines);
  });

  test('leaves a block that the next upload shortens, and nothing behind it', async () => {
    await scene.upload(product, numbered('old', 10));
    await scene.abandon(product, numbered('left', 300));
    await scene.upload(product, numbered('new', 5));
    assert.deepEqual(scene.read(product), [...numbered('old', 10), ...numbered('new', 5)]);
    await scene.upload(product, [...numbered('left', 60), 'last']);
    assert.deepEqual(scene.read(product).slice(15), [...numbered('left', 60), 'last']);
  });

  test('is not kept by the cache, while it goes on or afterwards', async () => {
    await scene.upload(product, 'a');
    const intake = await scene.begin(product);
    await send(intake, numbered('left', 100));
    await intake.finish();
    assert.deepEqual(scene.read(product), ['a']);
    intake.close();
    assert.deepEqual(scene.read(product), ['a']);
    await scene.upload(product, 'b');
    assert.deepEqual(scene.read(product), ['a', 'b']);
  });

  test('is not kept by a read during the next upload, which takes the same numbers', async () => {
    await scene.upload(product, 'a');
    await scene.abandon(product, numbered('left', 10));
    const intake = await scene.begin(product);
    assert.deepEqual(scene.read(product), ['a']);
    await send(intake, numbered('new', 10));
    await intake.finish();
    scene.setEnd(product, 11);
    assert.deepEqual(scene.read(product), ['a', ...numbered('new', 10)]);
    intake.close();
  });

  test('is forgotten by the cache even when its end was believed for a while', async () => {
    await scene.upload(product, 'a');
    const intake = await scene.begin(product);
    await send(intake, numbered('left', 100));
    await intake.finish();
    const { store } = scene;
    assert.equal(store.readItems(product, 1, 100, 101).length, 100);
    intake.close();
    await scene.upload(product, numbered('new', 100));
    assert.deepEqual(scene.read(product), ['a', ...numbered('new', 100)]);
  });
});
