/**
 * Random sequences of uploads, aborted uploads, sales, withdrawals, reads, restarts and compaction against a naive model:
 * once with batches of a few items, where most of the ways between batches, blocks and leftovers are taken, and
 * once through the store and its thread, with the cache of the reading side.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { Compaction } from '../../../src/persistence/runs/compaction.ts';
import { blockOf, ITEMS_PER_BLOCK } from '../../../src/persistence/stock/file/stock-block.ts';
import { openStockFile, readBlock, type StockFile } from '../../../src/persistence/stock/file/stock-file.ts';
import type { IntakeResult, IntakeStart } from '../../../src/persistence/stock/intake/stock-intake-writer.ts';
import { StockIntakes } from '../../../src/persistence/stock/intake/stock-intakes.ts';
import { productStock } from '../../../src/persistence/stock/product-stock.ts';
import { stockTexts } from '../../../src/persistence/stock/stock-texts.ts';
import { randomDataKeys } from '../../support/data-keys.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { SMALL_RUNS } from '../../support/small-runs.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import { numbered, StockScene } from './stock-scene.ts';

/** The stock of one product as it should be: every item by number, and the ranges that are for sale no more. */
class NaiveStock {
  readonly items: string[] = [];
  readonly withdrawn: { firstItem: number; count: number }[] = [];
  readonly #gone = new Set<number>();
  #next = 0;

  add(texts: readonly string[], allowDuplicates: boolean): IntakeResult {
    const firstItem = this.items.length;
    let duplicates = 0;
    for (const text of texts) {
      const isHeld = this.items.some((had, item) => had === text && !this.#gone.has(item));
      if (isHeld && !allowDuplicates) {
        duplicates += 1;
        continue;
      }
      this.items.push(text);
    }
    return { firstItem, added: this.items.length - firstItem, duplicates };
  }

  /** Both take the oldest items that are there. */
  sell(count: number): void {
    this.#next = Math.min(this.#next + count, this.items.length);
  }

  withdraw(count: number): void {
    const firstItem = this.#next;
    this.sell(count);
    for (let item = firstItem; item < this.#next; item += 1) this.#gone.add(item);
    if (this.#next > firstItem) this.withdrawn.push({ firstItem, count: this.#next - firstItem });
  }
}

type Ending = 'commit' | 'abort' | 'abort when all is written';

const PRODUCTS = 2;
const PARTS_BETWEEN_UPLOADS = 5;
const product = fc.integer({ min: 1, max: PRODUCTS });
/** Few enough that they meet again, in runs, so that a block is soon full. */
const run = fc
  .tuple(fc.nat({ max: ITEMS_PER_BLOCK * 1.5 }), fc.integer({ min: 1, max: ITEMS_PER_BLOCK * 0.625 }))
  .map(([first, count]) => numbered('text', count, first));
const upload = fc.record({
  kind: fc.constant('upload' as const),
  product,
  texts: fc.array(run, { maxLength: 4 }).map((runs) => runs.flat()),
  allowDuplicates: fc.boolean(),
  ending: fc.constantFrom<Ending>('commit', 'commit', 'abort', 'abort when all is written'),
});
const take = fc.record({
  kind: fc.constantFrom('sell' as const, 'withdraw' as const),
  product,
  count: fc.integer({ min: 1, max: 60 }),
});
const read = fc.record({
  kind: fc.constant('read' as const),
  product,
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  count: fc.integer({ min: 1, max: 100 }),
});
const step = fc.oneof(
  { weight: 5, arbitrary: upload },
  { weight: 2, arbitrary: take },
  { weight: 2, arbitrary: read },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' } as const) },
);
const steps = fc.array(step, { minLength: 8, maxLength: 30, size: 'max' });
type Valued<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
type Step = Valued<typeof step>;
type UploadStep = Valued<typeof upload>;
/** Ends each sequence: whatever came before, it goes beyond a block. */
const LAST: UploadStep = {
  kind: 'upload',
  product: 1,
  texts: numbered('last', ITEMS_PER_BLOCK + 1),
  allowDuplicates: false,
  ending: 'commit',
};

/** The store that a sequence of steps is run on. */
interface Subject {
  upload(step: UploadStep, model: NaiveStock): Promise<unknown>;
  read(product: number, firstItem: number, count: number, end: number): string[];
  restart(): Promise<void>;
  close(): Promise<void>;
}

async function runSteps(subject: Subject, sequence: readonly Step[]): Promise<void> {
  const models = new Map([1, 2].map((id) => [id, new NaiveStock()]));
  const modelOf = (id: number) => models.get(id) ?? assert.fail();
  for (const step of [...sequence, LAST]) {
    if (step.kind === 'restart') await subject.restart();
    else if (step.kind === 'upload') await runUpload(subject, step, modelOf(step.product));
    else if (step.kind === 'read') {
      const { items } = modelOf(step.product);
      const first = Math.floor(step.at * items.length);
      const expected = items.slice(first, first + step.count);
      assert.deepEqual(subject.read(step.product, first, expected.length, items.length), expected);
    } else modelOf(step.product)[step.kind](step.count);
  }
  for (const [id, { items }] of models) {
    assert.deepEqual(subject.read(id, 0, items.length, items.length), items);
  }
}

async function runUpload(subject: Subject, step: UploadStep, model: NaiveStock): Promise<void> {
  const result = await subject.upload(step, model);
  if (step.ending !== 'commit') return;
  assert.deepEqual(result, model.add(step.texts, step.allowDuplicates));
}

/** The thread's logic, called directly. */
class IntakesSubject implements Subject {
  #file: StockFile;
  #intakes: StockIntakes;
  #compaction: Compaction;
  #lastId = 0;
  readonly #open: () => StockFile;

  constructor(open: () => StockFile) {
    this.#file = open();
    this.#open = open;
    this.#intakes = new StockIntakes(stockTexts(this.#file), 7);
    this.#compaction = this.#compacting();
  }

  #compacting(): Compaction {
    const { tiers, transact } = this.#file;
    return new Compaction(tiers, transact, SMALL_RUNS);
  }

  async upload({ product, texts, allowDuplicates, ending }: UploadStep, model: NaiveStock): Promise<unknown> {
    this.#lastId += 1;
    const intakeId = this.#lastId;
    const { items, withdrawn } = model;
    const stock = productStock(product, items.length, withdrawn);
    const start: IntakeStart = { stock, allowDuplicates };
    this.#intakes.begin(intakeId, start);
    const bytes = Buffer.from(texts.join('\n'));
    const middle = bytes.length >> 1;
    for (const part of [bytes.subarray(0, middle), bytes.subarray(middle)]) this.#intakes.add(intakeId, part);
    const result = ending === 'abort' ? undefined : this.#intakes.finish(intakeId);
    this.#intakes.close(intakeId);
    // Not to the end, so that other things happen in the middle of it.
    for (let part = 0; part < PARTS_BETWEEN_UPLOADS; part += 1) this.#compaction.step();
    return result;
  }

  read(product: number, firstItem: number, count: number, end: number): string[] {
    return Array.from({ length: count }, (_, index) => {
      const item = firstItem + index;
      const number = blockOf(item);
      const block = readBlock(this.#file, product, number, end - number * ITEMS_PER_BLOCK);
      return block?.textAt(item % ITEMS_PER_BLOCK) ?? assert.fail(`no item ${item}`);
    });
  }

  async restart(): Promise<void> {
    await this.close();
    this.#file = this.#open();
    this.#intakes = new StockIntakes(stockTexts(this.#file), 7);
    this.#compaction = this.#compacting();
  }

  close(): Promise<void> {
    this.#compaction.stop();
    return this.#file.environment.close();
  }
}

/** Products of a store that has others. */
class StoreSubject implements Subject {
  readonly #scene: StockScene;
  readonly #before: number;

  /** `before`: so many product numbers are taken. */
  constructor(scene: StockScene, before: number) {
    this.#scene = scene;
    this.#before = before;
  }

  async upload({ product, texts, allowDuplicates, ending }: UploadStep, model: NaiveStock): Promise<unknown> {
    const productId = this.#before + product;
    const intake = await this.#scene.store.beginIntake({
      productId,
      allowDuplicates,
      readStock: async () => productStock(productId, model.items.length, model.withdrawn),
    });
    await intake.writeItems(texts);
    if (ending === 'abort') return intake.close();
    const result = await intake.finish();
    intake.close();
    return result;
  }

  read(product: number, firstItem: number, count: number, end: number): string[] {
    return this.#scene.store.readItems(this.#before + product, firstItem, count, end);
  }

  restart(): Promise<void> {
    return this.#scene.reopen();
  }

  async close(): Promise<void> {}
}

const { seed } = randomFromEnvironment();

async function check(numRuns: number, subjectFor: () => Promise<Subject>): Promise<void> {
  const property = fc.asyncProperty(steps, async (sequence) => {
    const subject = await subjectFor();
    try {
      await runSteps(subject, sequence);
    } finally {
      await subject.close();
    }
  });
  await fc.assert(property, { seed, numRuns });
}

test(`the thread's logic, in batches of seven, does what the model does (seed ${seed})`, async (context) => {
  const folder = await createTemporaryFolder('stock-model');
  context.after(() => folder.remove());
  const keys = randomDataKeys();
  let files = 0;
  await check(roundsOr(6), async () => {
    // The run files of a database lie in its folder.
    files += 1;
    const path = join(folder.path, String(files));
    mkdirSync(path);
    return new IntakesSubject(() => openStockFile(join(path, 'stock.mdb'), keys));
  });
});

test(`the store does what the model does (seed ${seed})`, async (context) => {
  const scene = await StockScene.open();
  context.after(() => scene.close());
  let sequences = 0;
  await check(roundsOr(4), async () => {
    sequences += 1;
    return new StoreSubject(scene, PRODUCTS * sequences);
  });
});
