/**
 * Decisions of the writing thread about texts that suppliers deliver: reservations, deliveries, uploads and the remains of
 * those that came to nothing, in any order against a naive model; and where several are under way at the same time.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { checkFile } from '../../../src/persistence/folder/folder-check.ts';
import { openStockFile } from '../../../src/persistence/stock/file/stock-file.ts';
import { Fingerprints, orderOfHint } from '../../../src/persistence/stock/file/stock-fingerprints.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { numbered, StockScene, send } from './stock-scene.ts';

/** Opening a store starts a thread, so all tests share one, and each has a product, orders and reservations of its own. */
let scene: StockScene;
let product = 7;
let order = 2 ** 33 + 5;

/** The texts that one product had, in plain sets. */
class NaiveTexts {
  readonly productId: number;
  readonly items: string[] = [];
  readonly withdrawn = new Set<number>();
  readonly orders = new Map<number, readonly string[]>();
  readonly reservations = new Map<number, readonly string[]>();

  constructor(productId: number) {
    this.productId = productId;
  }

  /** The id of the supplier purchase, and of the order, that a step means. */
  idOf(step: { readonly id: number }): number {
    return this.productId * 10 + step.id;
  }

  had(exceptSupplierPurchaseId?: number, exceptOrderId?: number): Set<string> {
    const claimed = [...this.reservations].flatMap(([id, texts]) =>
      id === exceptSupplierPurchaseId ? [] : texts,
    );
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
/** With `again`, texts that the product has are added all the same. */
const uploads = fc.constantFrom<'kept' | 'again' | 'abandoned'>('kept', 'again', 'abandoned');
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('reservation' as const), id, texts }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('drop' as const), id }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('deliver' as const), id, texts }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('by hand' as const), id, texts }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('remove' as const), id }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('upload' as const), texts, ending: uploads }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('withdraw' as const), count: fc.integer({ min: 1, max: 4 }) }),
  },
  // It starts a thread, which takes longer than all the others together.
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const { seed } = randomFromEnvironment();
describe('texts of suppliers', () => {
  before(async () => {
    scene = await StockScene.open();
  });
  beforeEach(() => {
    product += 2;
    order += 1_000;
  });
  after(() => scene.close());

  describe('a text that a supplier delivers', () => {
    /** Supplier purchases are counted anew in each test. */
    const reservation = (id: number, productId: number, texts: readonly string[]) =>
      scene.reservation(order + id, productId, texts);
    const deliver = (id: number, orderId: number, productId: number, texts: readonly string[]) =>
      scene.deliver(order + id, orderId, productId, texts);

    test('without a reservation is compared and written in one step: of many at once, one', async () => {
      const orders = numbered('', 50).map((_, index) => order + index);
      const written = await Promise.all(
        orders.map((orderId, index) => deliver(index + 1, orderId, product, [`own ${index}`, 'same'])),
      );
      assert.equal(written.filter((isWritten) => isWritten).length, 1);
      assert.equal(await deliver(99, order + 99, product, ['own 49']), true, 'nothing else was written');
    });

    for (const when of ['in memory', 'written, and the last block is not', 'finished'] as const) {
      test(`is a duplicate of one that an upload under way is about to put on sale (${when})`, async () => {
        await scene.upload(product, numbered('old', 10));
        const lines = when === 'in memory' ? ['a', 'b'] : [...numbered('x', 4_200), 'a', 'b'];
        const upload = await scene.begin(product);
        await send(upload, lines);
        const last = when === 'in memory' ? 'a' : 'x-4095';
        if (when === 'finished') {
          await upload.finish();
          assert.equal(await reservation(1, product, ['b']), false);
        }
        const isClaimed = await reservation(2, product, [last]);
        // What lies in the upload's memory is compared when it is written, and is the one that yields.
        assert.equal(isClaimed, when === 'in memory');
        if (when === 'in memory')
          assert.deepEqual(await upload.finish(), { firstItem: 10, added: 1, duplicates: 1 });
        upload.close();
        assert.equal(await reservation(3, product, ['b']), true, 'the upload has come to nothing');
      });
    }

    test('is compared with an upload that ends in the same moment, before and after', async () => {
      const upload = await scene.begin(product);
      await send(upload, ['a']);
      const { added } = await upload.finish();
      const delivering = deliver(1, order, product, ['a']);
      scene.setEnd(product, added);
      upload.close();
      assert.equal(await delivering, false);
    });

    test('leaves rows that a check of the file understands, and that are damage when they name nothing', async () => {
      await scene.upload(product, 'a\nb');
      await deliver(1, order, product, ['c']);
      await scene.deliverByHand(order + 1, product, ['a', 'c']);
      await scene.closeStore();
      const check = () => checkFile(scene.file, scene.keys);
      assert.ok(check() > 0);
      const file = openStockFile(scene.file, scene.keys);
      const fingerprints = new Fingerprints(file);
      const key = fingerprints.keyOf(Buffer.from('c'));
      assert.equal(orderOfHint(fingerprints.get(key)?.hint ?? 0), order);
      file.write(() => fingerprints.setItem(key, { productId: product, hint: 2 ** 39 }));
      await file.environment.close();
      assert.throws(check, /is not the number of an item or an order/);
      await scene.reopen();
    });

    test('and is blank is refused, and what came with it is not claimed', async () => {
      await assert.rejects(reservation(1, product, ['a', ' ']), { name: 'StockError', reason: 'bad-item' });
      assert.equal(await reservation(2, product, ['a']), true);
    });
  });

  test(`reservations, deliveries and uploads do what the naive model does (seed ${seed})`, async () => {
    const steps = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });
    let productId = product;
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
    await fc.assert(property, { seed, numRuns: roundsOr(10) });
  });
});

async function perform(scene: StockScene, model: NaiveTexts, step: Step): Promise<void> {
  const { productId } = model;
  switch (step.kind) {
    case 'reservation': {
      const id = model.idOf(step);
      if (model.reservations.has(id)) return;
      const had = model.had();
      const isFree = step.texts.every((text) => !had.has(text));
      assert.equal(await scene.reservation(id, productId, step.texts), isFree);
      if (isFree) model.reservations.set(id, step.texts);
      return;
    }
    case 'drop':
      scene.store.orderTexts.dropReservation(model.idOf(step));
      return void model.reservations.delete(model.idOf(step));
    case 'deliver': {
      const id = model.idOf(step);
      const claimed = model.reservations.get(id);
      const delivered = claimed ?? step.texts;
      const had = model.had(id, id);
      // What was delivered by hand meanwhile was the operator's choice.
      const isFree = claimed !== undefined || delivered.every((text) => !had.has(text));
      assert.equal(await scene.deliver(id, id, productId, delivered), isFree);
      model.reservations.delete(id);
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
      if (step.ending === 'abandoned') return await scene.abandon(productId, step.texts);
      const isAgain = step.ending === 'again';
      const had = model.had();
      const added = step.texts.filter((text) => isAgain || !had.has(text));
      const { added: count } = await scene.upload(productId, step.texts, isAgain);
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
      return model.reservations.clear();
  }
}
