/**
 * What the thread that writes decides about texts that suppliers deliver: claims, deliveries, uploads and what was
 * left by those that came to nothing, in any order against a naive model, and in the orders that are easy to get wrong.
 */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { KeyFilter } from '../../src/engine/key-filter.ts';
import { checkFile } from '../../src/persistence/folder/folder-check.ts';
import { openStockFile } from '../../src/persistence/stock/file/stock-file.ts';
import { Fingerprints, orderOfHint } from '../../src/persistence/stock/file/stock-fingerprints.ts';
import { isLongRun, randomFromEnvironment } from '../support/random.ts';
import { numbered, StockScene, send } from './stock-scene.ts';

const PRODUCT = 7;
const ORDER = 2 ** 33 + 5;

describe('a text that a supplier delivers', () => {
  let scene: StockScene;

  beforeEach(async () => {
    scene = await StockScene.open();
  });
  afterEach(() => scene.close());

  test('is claimed once, until it is written, dropped, or the process ends', async () => {
    assert.equal(await scene.claim(1, PRODUCT, ['a', 'b']), true);
    assert.equal(await scene.claim(2, PRODUCT, ['c', 'b']), false);
    assert.equal(await scene.claim(3, PRODUCT, ['c']), true, 'what was refused has claimed nothing');
    assert.equal(await scene.claim(4, PRODUCT + 1, ['a']), true);
    scene.store.orderTexts.dropClaim(1);
    assert.equal(await scene.claim(5, PRODUCT, ['b']), true);
    assert.equal(await scene.deliver(5, ORDER, PRODUCT, ['b']), true);
    assert.equal(await scene.claim(6, PRODUCT, ['b']), false);
    await scene.reopen();
    assert.equal(await scene.claim(7, PRODUCT, ['c']), true);
    assert.equal(await scene.claim(8, PRODUCT, ['b']), false);
    assert.deepEqual(scene.store.readOrderTexts(ORDER, 1), ['b']);
  });

  test('without a claim is compared and written in one step: of many at once, one', async () => {
    const orders = numbered('', 50).map((_, index) => ORDER + index);
    const written = await Promise.all(
      orders.map((orderId, index) => scene.deliver(index + 1, orderId, PRODUCT, [`own ${index}`, 'same'])),
    );
    assert.equal(written.filter((isWritten) => isWritten).length, 1);
    assert.equal(await scene.deliver(99, ORDER + 99, PRODUCT, ['own 49']), true, 'nothing else was written');
  });

  test('may be written again for its own order, and for another when that has ended without it', async () => {
    assert.equal(await scene.deliver(1, ORDER, PRODUCT, ['a']), true);
    assert.equal(await scene.deliver(1, ORDER, PRODUCT, ['a']), true);
    assert.equal(await scene.deliver(1, ORDER, PRODUCT, ['b']), true);
    assert.equal(await scene.deliver(2, ORDER + 1, PRODUCT, ['a']), true, 'it was written over');
    assert.equal(await scene.deliver(3, ORDER + 2, PRODUCT, ['b']), false);
    await scene.store.orderTexts.remove(ORDER);
    await scene.store.orderTexts.remove(ORDER);
    assert.equal((await scene.upload(PRODUCT, 'a\nb')).duplicates, 1);
  });

  for (const when of ['in memory', 'written, and the last block is not', 'finished'] as const) {
    test(`is a duplicate of one that an upload under way is about to put on sale (${when})`, async () => {
      await scene.upload(PRODUCT, numbered('old', 10));
      const lines = when === 'in memory' ? ['a', 'b'] : [...numbered('x', 4_200), 'a', 'b'];
      const upload = await scene.begin(PRODUCT);
      await send(upload, lines);
      const last = when === 'in memory' ? 'a' : 'x-4095';
      if (when === 'finished') {
        await upload.finish();
        assert.equal(await scene.claim(1, PRODUCT, ['b']), false);
      }
      const isClaimed = await scene.claim(2, PRODUCT, [last]);
      // What lies in the upload's memory is compared when it is written, and is the one that yields.
      assert.equal(isClaimed, when === 'in memory');
      if (when === 'in memory')
        assert.deepEqual(await upload.finish(), { firstItem: 10, added: 1, duplicates: 1 });
      upload.close();
      assert.equal(await scene.claim(3, PRODUCT, ['b']), true, 'the upload has come to nothing');
    });
  }

  test('is compared with an upload that ends in the same moment, before and after', async () => {
    const upload = await scene.begin(PRODUCT);
    await send(upload, ['a']);
    const { added } = await upload.finish();
    const delivering = scene.deliver(1, ORDER, PRODUCT, ['a']);
    scene.setEnd(PRODUCT, added);
    upload.close();
    assert.equal(await delivering, false);
  });

  /** Whoever else has the text when an order is delivered with it by hand, and then has it no longer. */
  const others: [who: string, come: () => Promise<unknown>, go: () => unknown][] = [
    ['an item, which is withdrawn', () => scene.upload(PRODUCT, 'a'), () => scene.withdraw(PRODUCT, 0, 1)],
    [
      'an order, which ends without it',
      () => scene.deliver(1, ORDER + 1, PRODUCT, ['a']),
      () => scene.store.orderTexts.remove(ORDER + 1),
    ],
    [
      'an order, which is delivered with another',
      () => scene.deliver(1, ORDER + 1, PRODUCT, ['a']),
      () => scene.deliver(1, ORDER + 1, PRODUCT, ['b']),
    ],
    [
      'a claim, which is dropped',
      () => scene.claim(1, PRODUCT, ['a']),
      () => scene.store.orderTexts.dropClaim(1),
    ],
  ];
  for (const [who, come, go] of others) {
    test(`counts when it was delivered by hand, too, and was that of ${who}`, async () => {
      await come();
      await scene.deliverByHand(ORDER, PRODUCT, ['a']);
      await go();
      assert.equal(await scene.claim(2, PRODUCT, ['a']), false);
      assert.equal((await scene.upload(PRODUCT, 'a')).duplicates, 1);
    });
  }

  test('counts when it was uploaded as one that may be the same, whoever else had it and lost it', async () => {
    const lost: [come: () => Promise<unknown>, go: () => unknown][] = [
      [() => scene.claim(1, PRODUCT, ['a']), () => scene.store.orderTexts.dropClaim(1)],
      [() => scene.deliver(1, ORDER, PRODUCT, ['b']), () => scene.store.orderTexts.remove(ORDER)],
    ];
    for (const [index, [come, go]] of lost.entries()) {
      const text = index === 0 ? 'a' : 'b';
      await come();
      assert.equal((await scene.upload(PRODUCT, text, true)).added, 1);
      await go();
      assert.equal(await scene.claim(2, PRODUCT, [text]), false);
      assert.equal((await scene.upload(PRODUCT, text)).duplicates, 1);
    }
    await scene.deliver(1, ORDER, PRODUCT, ['c']);
    await scene.upload(PRODUCT, 'c', true);
    scene.withdraw(PRODUCT, 2, 1);
    assert.equal(await scene.claim(2, PRODUCT, ['c']), false, 'the order has it all the same');
  });

  test('leaves rows that a check of the file understands, and that are damage when they name nothing', async () => {
    await scene.upload(PRODUCT, 'a\nb');
    await scene.deliver(1, ORDER, PRODUCT, ['c']);
    await scene.deliverByHand(ORDER + 1, PRODUCT, ['a', 'c']);
    await scene.closeStore();
    const check = () => checkFile(scene.file, scene.masterKey, new KeyFilter());
    assert.ok(check() > 0);
    const file = openStockFile(scene.file, scene.masterKey);
    const fingerprints = new Fingerprints(file);
    const key = fingerprints.keyOf(PRODUCT, Buffer.from('c'));
    assert.equal(orderOfHint(fingerprints.get(key) ?? 0), ORDER);
    file.write(() => fingerprints.setItem(key, 2 ** 39, false));
    await file.environment.close();
    assert.throws(check, /the number of no item and no order/);
  });

  test('and is blank is refused, and what came with it is not claimed', async () => {
    await assert.rejects(scene.claim(1, PRODUCT, ['a', ' ']), { name: 'BadItemError' });
    assert.equal(await scene.claim(2, PRODUCT, ['a']), true);
  });
});

/** What one product had, in plain sets. */
class NaiveTexts {
  readonly productId: number;
  readonly items: string[] = [];
  readonly withdrawn = new Set<number>();
  readonly orders = new Map<number, readonly string[]>();
  readonly claims = new Map<number, readonly string[]>();

  constructor(productId: number) {
    this.productId = productId;
  }

  /** Of the supplier purchase, and of the order, that a step means. */
  idOf(step: { readonly id: number }): number {
    return this.productId * 10 + step.id;
  }

  had(exceptSupplierPurchaseId?: number, exceptOrderId?: number): Set<string> {
    const claimed = [...this.claims].flatMap(([id, texts]) => (id === exceptSupplierPurchaseId ? [] : texts));
    const delivered = [...this.orders].flatMap(([id, texts]) => (id === exceptOrderId ? [] : texts));
    return new Set([...this.items.filter((_, item) => !this.withdrawn.has(item)), ...claimed, ...delivered]);
  }
}

const id = fc.integer({ min: 1, max: 6 });
const texts = fc.uniqueArray(
  fc.integer({ min: 0, max: 30 }).map((number) => `text ${number}`),
  {
    minLength: 1,
    maxLength: 6,
  },
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('claim' as const), id, texts }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('drop' as const), id }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('deliver' as const), id, texts }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('by hand' as const), id, texts }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('remove' as const), id }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('upload' as const), texts, isKept: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('withdraw' as const), count: fc.integer({ min: 1, max: 4 }) }),
  },
  // It starts a thread, which takes longer than all the others together.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

test('claims, deliveries and uploads do what the naive model does', { timeout: 120_000 }, async () => {
  const { seed } = randomFromEnvironment();
  console.log(`# PURSER_TEST_SEED=${seed}`);
  const scene = await StockScene.open();
  const steps = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });
  let productId = PRODUCT;
  const property = fc.asyncProperty(steps, async (sequence) => {
    productId += 1;
    const model = new NaiveTexts(productId);
    try {
      for (const one of sequence) await perform(scene, model, one);
    } catch (error) {
      await scene.reopen();
      throw error;
    }
  });
  await fc.assert(property, { seed, numRuns: isLongRun() ? 40 : 20 }).finally(() => scene.close());
});

async function perform(scene: StockScene, model: NaiveTexts, step: Step): Promise<void> {
  const { productId } = model;
  switch (step.kind) {
    case 'claim': {
      const id = model.idOf(step);
      if (model.claims.has(id)) return;
      const had = model.had();
      const isFree = step.texts.every((text) => !had.has(text));
      assert.equal(await scene.claim(id, productId, step.texts), isFree);
      if (isFree) model.claims.set(id, step.texts);
      return;
    }
    case 'drop':
      scene.store.orderTexts.dropClaim(model.idOf(step));
      return void model.claims.delete(model.idOf(step));
    case 'deliver': {
      const id = model.idOf(step);
      const claimed = model.claims.get(id);
      const delivered = claimed ?? step.texts;
      const had = model.had(id, id);
      // What was delivered by hand meanwhile was the operator's choice.
      const isFree = claimed !== undefined || delivered.every((text) => !had.has(text));
      assert.equal(await scene.deliver(id, id, productId, delivered), isFree);
      model.claims.delete(id);
      if (isFree) model.orders.set(id, delivered);
      return;
    }
    case 'by hand':
      await scene.deliverByHand(model.idOf(step), productId, step.texts);
      return void model.orders.set(model.idOf(step), step.texts);
    case 'remove':
      await scene.store.orderTexts.remove(model.idOf(step));
      return void model.orders.delete(model.idOf(step));
    case 'upload': {
      if (!step.isKept) return await scene.abandon(productId, step.texts);
      const had = model.had();
      const added = step.texts.filter((text) => !had.has(text));
      const { added: count } = await scene.upload(productId, step.texts);
      assert.equal(count, added.length);
      return void model.items.push(...added);
    }
    case 'withdraw': {
      const firstItem = model.withdrawn.size;
      const count = Math.min(step.count, model.items.length - firstItem);
      if (count === 0) return;
      scene.withdraw(productId, firstItem, count);
      for (let item = firstItem; item < firstItem + count; item += 1) model.withdrawn.add(item);
      return;
    }
    case 'restart':
      await scene.reopen();
      return model.claims.clear();
  }
}
