/**
 * The store of item texts beyond what its model proves (stock-model.test.ts): limits, bad lines, turns, ends of the store and
 * its thread; and what an upload that came to nothing may leave behind, which is nothing that anyone can see.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { lastWords } from '../../../src/node/last-words.ts';
import { ByteCache } from '../../../src/persistence/stock/byte-cache.ts';
import { encodeBlock, ITEMS_PER_BLOCK, ItemBlock } from '../../../src/persistence/stock/file/stock-block.ts';
import { UploadQueue } from '../../../src/persistence/stock/intake/upload-queue.ts';
import { productStock } from '../../../src/persistence/stock/product-stock.ts';
import { StockError } from '../../../src/persistence/stock/stock-errors.ts';
import { ThreadEndedError } from '../../../src/threads/worker-link.ts';
import { numbered, StockScene, send } from './stock-scene.ts';

/** Opening a store starts a thread, so all tests share one, and each has products of its own. */
let scene: StockScene;
let product = 7;
let other = 8;
describe('stock', () => {
  before(async () => {
    scene = await StockScene.open();
  });
  beforeEach(() => {
    product += 2;
    other += 2;
  });
  afterEach(() => assert.deepEqual(scene.fatal, []));
  after(() => scene.close());

  describe('the store of item texts', () => {
    test('takes items of the greatest length, and has none at the end or beyond it', async () => {
      const items = Array.from({ length: 150 }, (_, index) => `${index}-`.padEnd(16 * 1024, 'x'));
      await scene.upload(product, items.join('\n'));
      assert.deepEqual(scene.read(product), items);
      // With the last, a fact without a text.
      for (const [first, count, end] of [
        [149, 2, 150],
        [150 + ITEMS_PER_BLOCK, 1, 150],
        [150, 1, 151],
      ] as const)
        assert.throws(
          () => scene.store.readItems(product, first, count, end),
          /the text of item \d+ is missing/,
        );
    });

    test('refuses an upload with a bad line, and adds nothing of it', async () => {
      await scene.upload(product, 'a');
      const bad = Buffer.concat([Buffer.from(`${numbered('x', 9_000).join('\n')}\n`), Buffer.from([0xff])]);
      const intake = await scene.begin(product);
      const refusal = (error: unknown) => StockError.is(error, 'bad-item') && error.lineNumber === 9_001;
      await intake.writeText(bad).catch(() => undefined);
      await assert.rejects(intake.finish(), refusal);
      await assert.rejects(intake.writeText(Buffer.from('b')), refusal);
      assert.deepEqual(await scene.upload(product, 'b\nx-1'), { firstItem: 1, added: 2, duplicates: 0 });
      assert.deepEqual(scene.read(product), ['a', 'b', 'x-1']);
      await assert.rejects(scene.upload(product, ['fine', '']), { name: 'StockError', reason: 'bad-item' });
    });
  });

  describe('uploads of one product', () => {
    test('take turns, and see what became of the product while they waited', async () => {
      const first = await scene.begin(product);
      let hasBegun = false;
      const second = scene.begin(product).then((intake) => {
        hasBegun = true;
        return intake;
      });
      await send(first, 'a\nb');
      await first.finish();
      assert.equal(hasBegun, false, 'a finished upload has the turn until its fact is durable');
      scene.setEnd(product, 2);
      first.close();
      const intake = await second;
      await send(intake, 'b\nc');
      assert.deepEqual(await intake.finish(), { firstItem: 2, added: 1, duplicates: 1 });
      intake.close();
    });

    test('wait in a queue that has an end', async () => {
      const first = await scene.begin(product);
      const waiting = Array.from({ length: 64 }, () => scene.begin(product));
      await assert.rejects(scene.begin(product), { name: 'StockError', reason: 'queue' });
      const otherUpload = await scene.begin(other);
      otherUpload.close();
      first.close();
      for (const turn of waiting) (await turn).close();
      const last = await scene.begin(product);
      last.close();
    });

    test('give up their turn when they are aborted, fail, or can not read the state', async () => {
      const aborted = await scene.begin(product);
      await send(aborted, 'a\n');
      aborted.close();
      aborted.close();
      await assert.rejects(aborted.writeText(Buffer.from('b')), /the upload was aborted/);
      await assert.rejects(aborted.finish(), /the upload was aborted/);

      const failed = await scene.begin(product);
      await send(failed, [''.padEnd(20_000)]);
      await assert.rejects(failed.finish(), { name: 'StockError', reason: 'bad-item' });

      const broken = new Error('no state');
      const readStock = () => {
        throw broken;
      };
      const unread = scene.store.beginIntake({ productId: product, allowDuplicates: false, readStock });
      await assert.rejects(unread, broken);

      assert.deepEqual(await scene.upload(product, 'a'), { firstItem: 0, added: 1, duplicates: 0 });
    });

    test('end with the store, and so does the wait for a turn', async () => {
      const open = await scene.begin(product);
      const waiting = scene.begin(product);
      const finishing = await scene.begin(other);
      await send(finishing, numbered('x', 10_000));
      const finish = finishing.finish();
      const { store } = scene;
      const closed = Promise.all([scene.closeStore(), store.close()]);
      await assert.rejects(waiting, { name: 'StockError', reason: 'closed' });
      await assert.rejects(finish, { name: 'StockError', reason: 'closed' });
      await assert.rejects(open.writeText(Buffer.from('a')), { name: 'StockError', reason: 'closed' });
      const readStock = async () => productStock(1, 0);
      const late = store.beginIntake({ productId: 1, allowDuplicates: false, readStock });
      await assert.rejects(late, { name: 'StockError', reason: 'closed' });
      await assert.rejects(store.orderTexts.write(5, ['x']), { name: 'StockError', reason: 'closed' });
      await closed;
      assert.throws(() => store.readItems(product, 0, 1, 1), { name: 'StockError', reason: 'closed' });
      await scene.reopen();
      assert.deepEqual(await scene.upload(other, 'y'), { firstItem: 0, added: 1, duplicates: 0 });
    });
  });

  describe('duplicates', () => {
    test('of a recalled text are none that is added, whoever has or had it besides', async () => {
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

    test('are told by a dry run as by an upload, and keep nobody from a text', async () => {
      await scene.upload(product, 'a\nb');
      const lines = [...numbered('x', 5_000), 'b', 'x-7', 'a'];
      const dry = await scene.begin(product, false, true);
      await send(dry, lines);
      const { added, duplicates, lines: said } = await dry.finish();
      assert.deepEqual([added, duplicates], [5_000, 3]);
      assert.deepEqual(said?.duplicates.first, [5_001, 5_002, 5_003]);
      assert.equal(await scene.reservation(1, product, ['x-1']), true);
      dry.close();
      assert.deepEqual(scene.read(product), ['a', 'b']);
      assert.deepEqual(await scene.upload(product, lines), { firstItem: 2, added: 4_999, duplicates: 4 });
    });
  });

  test('an upload that came to nothing is forgotten by the cache, even when its end was believed for a while', async () => {
    await scene.upload(product, 'a');
    const intake = await scene.begin(product);
    await send(intake, numbered('left', 100));
    await intake.finish();
    assert.deepEqual(scene.read(product), ['a']);
    assert.equal(scene.store.readItems(product, 1, 100, 101).length, 100);
    intake.close();
    await scene.upload(product, numbered('new', 100));
    assert.deepEqual(scene.read(product), ['a', ...numbered('new', 100)]);
  });

  test('a state that can not be ends the thread: that is fatal, and no upload hangs', async () => {
    const otherUpload = await scene.begin(other);
    scene.setEnd(product, -1);
    const intake = await scene.begin(product);
    await assert.rejects(intake.finish(), ThreadEndedError);
    assert.equal(scene.fatal.length, 1);
    assert.match(lastWords(scene.fatal.pop()), /^the stock could not be written: .* failed: RangeError: /);
    await assert.rejects(otherUpload.finish(), ThreadEndedError);
    await assert.rejects(scene.begin(other), ThreadEndedError);
  });

  test('who has no patience left is refused, and keeps no place in the queue', async () => {
    const queue = new UploadQueue();
    const { giveBack: leave } = await queue.begin({ productId: 1 });
    await assert.rejects(queue.begin({ productId: 1, patienceMs: 20 }), {
      name: 'StockError',
      reason: 'queue',
    });
    const next = queue.begin({ productId: 1 });
    leave();
    (await next).giveBack();
  });

  test('an upload knows whether another one that may come to nothing for good was under way with it', async () => {
    const queue = new UploadQueue();
    const late = await queue.begin({ productId: 1, comesAgain: true });
    const other = await queue.begin({ productId: 2, comesAgain: true });
    assert.deepEqual([late.isAlone(), other.isAlone()], [true, true]);
    await queue.begin({ productId: 6, isDry: true });
    const operators = await queue.begin({ productId: 3 });
    assert.deepEqual([late.isAlone(), operators.isAlone()], [false, true]);
    const after = await queue.begin({ productId: 4, comesAgain: true });
    operators.giveBack();
    operators.giveBack();
    assert.deepEqual([late.isAlone(), after.isAlone()], [false, false], 'it was there for a time');
    assert.equal((await queue.begin({ productId: 5, comesAgain: true })).isAlone(), true);
  });

  test('the cache of blocks takes no more than it may, whatever is put in and asked for', () => {
    const small = ItemBlock.decode('a block', encodeBlock([Buffer.alloc(100, 'x')]), 1);
    const cache = new ByteCache<ItemBlock>(10 * small.memoryBytes);
    for (let turn = 0; turn < 1_000; turn += 1) {
      cache.set((turn * 7) % 85, small);
      cache.get((turn * 3) % 85);
      assert.ok(cache.memoryBytes <= 10 * small.memoryBytes, `${cache.memoryBytes} bytes`);
    }
  });
});
