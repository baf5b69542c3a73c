/** The texts of single orders: durable, sealed, bounded, and found out when they are not what was written. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, beforeEach, describe, test } from 'node:test';
import { numberKey } from '../../../src/persistence/codec/number-key.ts';
import { checkFile } from '../../../src/persistence/folder/folder-check.ts';
import { StockError, type StockReason } from '../../../src/persistence/stock/stock-errors.ts';
import { randomDataKeys } from '../../support/data-keys.ts';
import { flip, numbered, StockScene } from './stock-scene.ts';

const TEXTS = ['user: x\npassword: y', 'Zoë ☃ 𝄞', ' indented ', 'x'.repeat(16 * 1024)];
/** The bytes of a row that are damaged, each in an order of its own. */
const BYTES = [0, 16, 100, -1];

/** Opening a store starts a thread, so all tests share one, and each has orders of its own. */
describe('the texts of an order', () => {
  let scene: StockScene;
  let order = 2 ** 33 + 5;

  before(async () => {
    scene = await StockScene.open();
  });
  beforeEach(() => {
    order += 100;
  });
  after(() => scene.close());

  const changeRow = (orderId: number, change: (row: Buffer) => Buffer | undefined, to = orderId) =>
    scene.changeRow('deliveries', numberKey(orderId), change, numberKey(to));

  test(`a changed byte (${BYTES}) is noticed when they are read, and before the file is opened`, async () => {
    for (const place of BYTES.keys()) await scene.store.orderTexts.write(order + place, TEXTS);
    for (const [place, index] of BYTES.entries()) {
      await changeRow(order + place, flip(index));
      assert.throws(() => checkFile(scene.file, scene.keys), /stock\.mdb/);
      await changeRow(order + place, flip(index));
    }
    checkFile(scene.file, scene.keys);
    for (const [place, index] of BYTES.entries()) await changeRow(order + place, flip(index));
    await scene.reopen();
    for (const place of BYTES.keys()) {
      assert.throws(
        () => scene.store.readOrderTexts(order + place, TEXTS.length),
        (error) => StockError.is(error, 'damaged') && error.message.includes(`order ${order + place}`),
      );
    }
    for (const [place, index] of BYTES.entries()) await changeRow(order + place, flip(index));
    await scene.reopen();
  });

  test("another order's in their place are noticed, and missing ones", async () => {
    await scene.store.orderTexts.write(order, TEXTS);
    await changeRow(order, (value) => value, 7);
    assert.throws(() => checkFile(scene.file, scene.keys), /is damaged/);
    await changeRow(order, () => undefined);
    await scene.reopen();
    assert.throws(() => scene.store.readOrderTexts(7, TEXTS.length), {
      name: 'StockError',
      reason: 'damaged',
    });
    assert.throws(() => scene.store.readOrderTexts(order, TEXTS.length), /are missing/);
    await changeRow(7, () => undefined);
    await scene.reopen();
  });

  test('are read as they were written last, sealed in the file, each by its order, also after a restart', async () => {
    const secret = randomBytes(20).toString('hex');
    const [own, again, most] = [order, order + 1, order + 2];
    await scene.upload(1, numbered('item', 100));
    await scene.store.orderTexts.write(own, [...TEXTS, secret]);
    await scene.store.orderTexts.write(again, ['of an', 'attempt that came to nothing']);
    await scene.store.orderTexts.write(again, ['second']);
    const greatest = numbered('x'.repeat(400), 10_000);
    await scene.store.orderTexts.write(most, greatest);
    for (const isRestarted of [false, true]) {
      if (isRestarted) await scene.reopen();
      assert.deepEqual(scene.store.readOrderTexts(own, TEXTS.length + 1), [...TEXTS, secret]);
      assert.deepEqual(scene.store.readOrderTexts(again, 1), ['second']);
      assert.throws(() => scene.store.readOrderTexts(again, 2), { name: 'StockError', reason: 'damaged' });
      assert.deepEqual(scene.store.readOrderTexts(most, 10_000), greatest);
    }
    assert.deepEqual(scene.read(1), numbered('item', 100));
    await scene.closeStore();
    assert.equal(readFileSync(scene.file).includes(secret), false);
    checkFile(scene.file, scene.keys);
    const foreign = /sealed with the data key \w+, which is not in/;
    assert.throws(() => checkFile(scene.file, randomDataKeys()), foreign);
    await scene.reopen();
  });

  test('of which one is none, or that are too many, are refused, and nothing is written', async () => {
    const refused: [what: string, texts: string[], reason: StockReason][] = [
      ['a blank one', ['a', ' '], 'bad-item'],
      ['one that is no Unicode', ['a', '\ud800'], 'bad-item'],
      ['too many', numbered('x', 10_001), 'unfit'],
      ['too many bytes', new Array<string>(300).fill('x'.repeat(16 * 1024)), 'unfit'],
    ];
    for (const [what, texts, reason] of refused) {
      await assert.rejects(scene.store.orderTexts.write(order, texts), { name: 'StockError', reason }, what);
      assert.throws(() => scene.store.readOrderTexts(order, texts.length), /are missing/, what);
    }
  });
});
