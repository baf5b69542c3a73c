import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { lastWords } from '../../src/last-words.ts';
import { ITEMS_PER_BLOCK } from '../../src/persistence/stock/file/stock-block.ts';
import { productStock } from '../../src/persistence/stock/product-stock.ts';
import {
  BadItemError,
  DamagedRowError,
  IntakeQueueFullError,
  StockClosedError,
} from '../../src/persistence/stock/stock-errors.ts';
import { openStockStore } from '../../src/persistence/stock/stock-store.ts';
import { ThreadEndedError } from '../../src/threads/worker-link.ts';
import { randomDataKeys } from '../support/data-keys.ts';
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
afterEach(() => assert.deepEqual(scene.fatal, []));
after(() => scene.close());

describe('the store of item texts', () => {
  test('gives back what was uploaded, in order, also after a restart', async () => {
    assert.deepEqual(await scene.upload(product, 'a\r\n\nb\nü€😀'), {
      firstItem: 0,
      added: 3,
      duplicates: 0,
    });
    assert.deepEqual(await scene.upload(other, ['a', 'two\nlines']), {
      firstItem: 0,
      added: 2,
      duplicates: 0,
    });
    assert.deepEqual(await scene.upload(product, 'c\nd\n'), { firstItem: 3, added: 2, duplicates: 0 });
    for (const restart of [false, true]) {
      if (restart) await scene.reopen();
      assert.deepEqual(scene.read(product), ['a', 'b', 'ü€😀', 'c', 'd']);
      assert.deepEqual(scene.read(other), ['a', 'two\nlines']);
      assert.deepEqual(scene.store.readItems(product, 1, 2, 5), ['b', 'ü€😀']);
      assert.deepEqual(scene.store.readItems(product, 1, 0, 5), []);
    }
  });

  test('takes in many batches in a stream of small chunks, and counts every line once', async () => {
    const lines = numbered('code', 20_000);
    const bytes = Buffer.from(lines.join('\n'));
    const intake = await scene.begin(product);
    for (let start = 0; start < bytes.length; start += 1_000) {
      const chunk = Buffer.from(bytes.subarray(start, start + 1_000));
      await intake.writeText(chunk);
      chunk.fill(0);
    }
    assert.deepEqual(await intake.finish(), { firstItem: 0, added: 20_000, duplicates: 0 });
    scene.setEnd(product, 20_000);
    intake.close();
    assert.deepEqual(scene.read(product), lines);
    assert.deepEqual(await scene.upload(product, lines.toReversed()), {
      firstItem: 20_000,
      added: 0,
      duplicates: 20_000,
    });
  });

  test('fills blocks to any point and goes on from there', async () => {
    const all: string[] = [];
    const whole = ITEMS_PER_BLOCK;
    for (const count of [1, whole - 2, 1, whole, whole - 1, 2, whole * 2, whole + 1, 0, whole - 2]) {
      const lines = numbered('item', count, all.length);
      const { firstItem } = await scene.upload(product, lines.join('\n'));
      assert.equal(firstItem, all.length);
      all.push(...lines);
      assert.deepEqual(scene.read(product), all);
    }
    await scene.reopen();
    assert.deepEqual(scene.read(product), all);
  });

  test('takes items of the greatest length', async () => {
    const items = Array.from({ length: 150 }, (_, index) => `${index}-`.padEnd(16 * 1024, 'x'));
    await scene.upload(product, items.join('\n'));
    assert.deepEqual(scene.read(product), items);
  });

  test('has no item at the end or beyond it', async () => {
    await scene.upload(product, 'a\nb');
    for (const [first, count] of [
      [2, 1],
      [1, 2],
      [ITEMS_PER_BLOCK, 1],
    ] as const) {
      assert.throws(() => scene.store.readItems(product, first, count, 2), /the text of item \d+ is missing/);
    }
    assert.throws(
      () => scene.store.readItems(product, 2, 1, 3),
      /the text of item \d+ is missing/,
      'a fact without a text',
    );
    assert.throws(() => scene.store.readItems(other, 0, 1, 1), /the text of item \d+ is missing/);
  });

  test('refuses an upload with a bad line, and adds nothing of it', async () => {
    await scene.upload(product, 'a');
    const bad = Buffer.concat([Buffer.from(`${numbered('x', 9_000).join('\n')}\n`), Buffer.from([0xff])]);
    const intake = await scene.begin(product);
    const refusal = (error: unknown) => error instanceof BadItemError && error.lineNumber === 9_001;
    await intake.writeText(bad).catch(() => undefined);
    await assert.rejects(intake.finish(), refusal);
    await assert.rejects(intake.writeText(Buffer.from('b')), refusal);
    assert.deepEqual(await scene.upload(product, 'b\nx-1'), { firstItem: 1, added: 2, duplicates: 0 });
    assert.deepEqual(scene.read(product), ['a', 'b', 'x-1']);
    await assert.rejects(scene.upload(product, ['fine', '']), BadItemError);
  });

  test('opens no text of another folder’s data keys, and says which key it is sealed with', async () => {
    await scene.upload(product, 'a');
    await scene.closeStore();
    const store = await openStockStore({
      file: scene.file,
      keys: randomDataKeys(),
      onFatal: () => assert.fail(),
    });
    assert.throws(
      () => store.readItems(product, 0, 1, 1),
      (error) => error instanceof DamagedRowError && error.message.includes(scene.keys.newest.id),
    );
    await store.close();
    await scene.reopen();
    assert.deepEqual(scene.read(product), ['a']);
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

  test('do not wait for those of another product', async () => {
    const first = await scene.begin(product);
    const otherUpload = await scene.begin(other);
    await send(first, 'a\n');
    await send(otherUpload, 'a\nb\n');
    await send(first, 'c\n');
    assert.deepEqual(await otherUpload.finish(), { firstItem: 0, added: 2, duplicates: 0 });
    assert.deepEqual(await first.finish(), { firstItem: 0, added: 2, duplicates: 0 });
    scene.setEnd(product, 2);
    scene.setEnd(other, 2);
    assert.deepEqual(
      [scene.read(product), scene.read(other)],
      [
        ['a', 'c'],
        ['a', 'b'],
      ],
    );
    first.close();
    otherUpload.close();
  });

  test('wait in a queue that has an end', async () => {
    const first = await scene.begin(product);
    const waiting = Array.from({ length: 64 }, () => scene.begin(product));
    await assert.rejects(scene.begin(product), IntakeQueueFullError);
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
    await assert.rejects(failed.finish(), BadItemError);

    const broken = new Error('no state');
    const readStock = () => {
      throw broken;
    };
    const unread = scene.store.beginIntake({ productId: product, allowDuplicates: false, readStock });
    await assert.rejects(unread, broken);

    assert.deepEqual(await scene.upload(product, 'a'), { firstItem: 0, added: 1, duplicates: 0 });
  });

  test('are told to wait when they send faster than items are written', async () => {
    const intake = await scene.begin(product);
    const megabyte = Buffer.from(numbered('x'.repeat(1_000), 1_000).join('\n'));
    const write = intake.writeText(Buffer.concat([megabyte, megabyte, megabyte]));
    const first = await Promise.race([write.then(() => 'all'), Promise.resolve('waits')]);
    assert.equal(first, 'waits');
    await assert.rejects(intake.writeText(megabyte), /by one caller, in turn/);
    await write;
    intake.close();
  });

  test('end with the store, and so does the wait for a turn', async () => {
    const open = await scene.begin(product);
    const waiting = scene.begin(product);
    const finishing = await scene.begin(other);
    await send(finishing, numbered('x', 10_000));
    const finish = finishing.finish();
    const { store } = scene;
    const closed = Promise.all([scene.closeStore(), store.close()]);
    await assert.rejects(waiting, StockClosedError);
    await assert.rejects(finish, StockClosedError);
    await assert.rejects(open.writeText(Buffer.from('a')), StockClosedError);
    await assert.rejects(
      store.beginIntake({
        productId: 1,
        allowDuplicates: false,
        readStock: async () => productStock(1, 0),
      }),
      StockClosedError,
    );
    await closed;
    assert.throws(() => store.readItems(product, 0, 1, 1), StockClosedError);
    await scene.reopen();
    assert.deepEqual(await scene.upload(other, 'y'), { firstItem: 0, added: 1, duplicates: 0 });
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
});
