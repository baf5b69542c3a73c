/**
 * A table in tiers against a naive map: whatever is put and removed, wherever a compaction stops, each row is found as it
 * was written last, from both ends and from anywhere between. However a walk over several tiers ends, each is given back: one
 * of them is a position in the database, whose pages can't be used again before.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  createEnvironment,
  type Environment,
  openEnvironment,
} from '../../../src/persistence/lmdb/lmdb-environment.ts';
import type { TableEntry } from '../../../src/persistence/lmdb/lmdb-table.ts';
import { Compaction } from '../../../src/persistence/runs/compaction.ts';
import { mergedRows } from '../../../src/persistence/runs/row-merge.ts';
import { isRunFile } from '../../../src/persistence/runs/run-list.ts';
import { RunSet } from '../../../src/persistence/runs/run-set.ts';
import { TieredTable } from '../../../src/persistence/runs/tiered-table.ts';
import { Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const NAMES = ['letters', 'others'] as const;
const KEYS = 200;
/** The most runs of a table, when nothing is left to merge: three of each size. */
const MOST_RUNS = 3 * 4;

/** Moves after a few rows, and writes a file in many parts. */
const TINY = { movedBytes: 8 * 1024, stepBytes: 300, packedBytes: 20 * 1024 };

class Shelf {
  readonly folder: string;
  environment!: Environment;
  tables!: readonly TieredTable[];
  #compaction!: Compaction;

  constructor(folder: string) {
    this.folder = folder;
    this.open();
  }

  static async make(context: TestContext): Promise<Shelf> {
    const folder = await createTemporaryFolder('tiers');
    await createEnvironment(join(folder.path, 'rows.mdb'), ['meta', ...NAMES]);
    const shelf = new Shelf(folder.path);
    context.after(async () => {
      await shelf.environment.close();
      await folder.remove();
    });
    return shelf;
  }

  open(): void {
    const environment = openEnvironment(join(this.folder, 'rows.mdb'));
    const meta = environment.table('meta');
    const runs = new RunSet(environment, meta, 'stock');
    environment.onClose(() => runs.close());
    this.environment = environment;
    this.tables = NAMES.map((name) => new TieredTable(name, environment.table(name), runs));
    const transact = (work: () => void) => environment.transactionSync(work);
    this.#compaction = new Compaction(
      { environment, meta, kind: 'stock', runs, tiered: this.tables },
      transact,
      TINY,
    );
  }

  /** As after a crash between two parts: what was begun is lost. */
  async openAgain(): Promise<void> {
    await this.environment.close();
    this.open();
  }

  /** False when nothing is left to do. */
  compact(): boolean {
    return this.#compaction.step() !== false;
  }

  get files(): string[] {
    return readdirSync(this.folder).filter(isRunFile);
  }
}

const seeds = randomFromEnvironment();
const ROUNDS = roundsOr(1);

for (let round = 0; round < ROUNDS; round += 1) {
  test(`rows are what they were written as, seed ${seeds.seed}, round ${round}`, async (context) => {
    const random = new Random(seeds.between(1, 2 ** 31));
    const shelf = await Shelf.make(context);
    const models = NAMES.map(() => new Map<string, string>());
    for (let step = 0; step < 120; step += 1) {
      shelf.environment.transactionSync(() => {
        for (let change = random.between(0, 29); change > 0; change -= 1) {
          const at = random.between(0, NAMES.length - 1);
          const [table, model] = [shelf.tables[at] as TieredTable, models[at] as Map<string, string>];
          const key = keyOf(random);
          if (random.chance(0.25)) {
            table.removeSync(Buffer.from(key));
            model.delete(key);
          } else {
            const value = `${key} ${step} `.repeat(1 + random.between(0, 39));
            table.putSync(Buffer.from(key), Buffer.from(value));
            model.set(key, value);
          }
        }
      });
      for (let part = random.between(0, 11); part > 0; part -= 1) shelf.compact();
      if (random.chance(0.1)) await shelf.openAgain();
      for (const [at, model] of models.entries()) expectRows(shelf.tables[at] as TieredTable, model, random);
    }
    while (shelf.compact());
    for (const [at, model] of models.entries()) expectRows(shelf.tables[at] as TieredTable, model, random);
    const { files } = shelf;
    assert.ok(files.length > 0 && files.length <= MOST_RUNS * NAMES.length, `${files.length} files`);
  });
}

/** Short and long, and some are the beginning of others. */
function keyOf(random: Random): string {
  return String(random.between(0, KEYS - 1)).repeat(random.chance(0.1) ? 50 : 1 + random.between(0, 1));
}

function expectRows(table: TieredTable, model: ReadonlyMap<string, string>, random: Random): void {
  const all = [...model].sort(([left], [right]) => Buffer.from(left).compare(Buffer.from(right)));
  const found = (range?: Parameters<TieredTable['getRange']>[0]) =>
    Array.from(table.getRange(range), ({ key, value }) => [key.toString(), value.toString()]);
  assert.equal(JSON.stringify(found()), JSON.stringify(all));
  const [from, to] = [keyOf(random), keyOf(random)];
  const isWithin = (key: string, low: string, high: string) => key >= low && key < high;
  const between = all.filter(([key]) => isWithin(key, from, to));
  assert.deepEqual(found({ start: Buffer.from(from), end: Buffer.from(to) }), from < to ? between : []);
  const limit = random.between(0, 4) + 1;
  const down = all.filter(([key]) => key <= from).reverse();
  assert.deepEqual(found({ start: Buffer.from(from), reverse: true, limit }), down.slice(0, limit));
  assert.equal(table.get(Buffer.from(from))?.toString(), model.get(from));
  assert.equal(
    table.read(Buffer.from(from), (row) => row.toString()),
    model.get(from),
  );
  assert.equal(table.doesExist(Buffer.from(from)), model.has(from));
}

test('however a walk over several sources ends, each of them is given back', () => {
  let open = 0;
  /** Rows of these keys; a `!` can't be read. */
  function* source(keys: string): IterableIterator<TableEntry> {
    open += 1;
    try {
      for (const key of keys) {
        if (key === '!') throw new Error('damaged');
        yield { key: Buffer.from(key), value: Buffer.from('') };
      }
    } finally {
      open -= 1;
    }
  }
  for (const [keys, read, isDamaged] of [
    [['ac', 'b', ''], 9, false],
    [['ac', 'abc', 'd'], 2, false],
    [['ac', 'b', '!'], 9, true],
    [['ac', 'b!', 'd'], 9, true],
    [['!', 'b'], 9, true],
  ] as const) {
    const walk = () => {
      let count = 0;
      for (const _row of mergedRows(keys.map(source))) {
        count += 1;
        if (count === read) break;
      }
    };
    if (isDamaged) assert.throws(walk, /^Error: damaged$/);
    else walk();
    assert.equal(open, 0, keys.join());
  }
});
