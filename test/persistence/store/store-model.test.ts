/**
 * The store against naive maps: whatever is put, ended and added, wherever a merge stops and the store is opened again,
 * each row is found as it was written last, from both ends and from anywhere between.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { RowBatches } from '../../../src/persistence/checkpoint/row-batches.ts';
import { ALL_TABLES, TABLES as STORE } from '../../../src/persistence/checkpoint/tables.ts';
import { UNFINISHED_FOLDER } from '../../../src/persistence/disk/unfinished.ts';
import { createStore } from '../../../src/persistence/store/file-list.ts';
import { StoreFiles } from '../../../src/persistence/store/store-files.ts';
import { StoreReader } from '../../../src/persistence/store/store-reader.ts';
import { compareKeys, type StoreTable } from '../../../src/persistence/store/store-table.ts';
import { readSums, writeSums } from '../../../src/persistence/store/sums.ts';
import { type Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const TABLES = [
  STORE.accounts,
  STORE.orders,
  STORE.keys,
  STORE.accountOrders,
  STORE.statuses,
  STORE.quarterSums,
];
const HASHES = 2 ** 53;
const HASH_STEP = HASHES / 400;
/** Merges in many parts. */
const TINY = { stepBytes: 2_000 };

function below(random: Random, end: number): number {
  return random.between(0, end - 1);
}

interface ModelRow {
  readonly a: number;
  readonly b: number;
  readonly value: string;
}

class Model {
  readonly #rows = new Map<number, Map<string, ModelRow>>();

  of(table: StoreTable): Map<string, ModelRow> {
    const rows = this.#rows.get(table.number) ?? new Map<string, ModelRow>();
    this.#rows.set(table.number, rows);
    return rows;
  }

  sorted(table: StoreTable): ModelRow[] {
    return [...this.of(table).values()].sort((x, y) => compareKeys(x.a, x.b, y.a, y.b));
  }
}

function keyIn(random: Random, table: StoreTable): { a: number; b: number } {
  const a = table.isFiltered
    ? Math.floor(below(random, 400) * HASH_STEP)
    : below(random, table === STORE.orders ? 900 : 30);
  return { a, b: table.hasB ? below(random, 40) * 1_000 : 0 };
}

/** A fold's rows, in any order, some of them twice. */
function change(random: Random, model: Model, rows: RowBatches): void {
  const added = new Set<StoreTable>();
  for (let count = below(random, 300); count > 0; count -= 1) {
    const table = TABLES[below(random, TABLES.length)] as StoreTable;
    const { a, b } = keyIn(random, table);
    const of = model.of(table);
    const key = `${a}/${b}`;
    const into = rows.of(table);
    if (table.adds) {
      // A fold adds up its own facts before.
      if (added.has(table)) continue;
      added.add(table);
      const salesMicros = below(random, 1_000);
      writeSums(into.values, [-5, salesMicros, 0]);
      into.add(a, b);
      of.set(key, { a, b, value: String(Number(of.get(key)?.value ?? 0) + salesMicros) });
    } else if (table.ends && below(random, 3) === 0) {
      into.add(a, b, true);
      of.delete(key);
    } else {
      const value = table.hasValue ? `${below(random, 1e6)}`.repeat(below(random, 60)) : '';
      into.values.bytes(Buffer.from(value));
      into.add(a, b);
      of.set(key, { a, b, value });
    }
  }
}

function textIn(table: StoreTable, value: Uint8Array): string {
  return table.adds ? String(readSums(value)[1]) : Buffer.from(value).toString();
}

function compare(random: Random, model: Model, reader: StoreReader): void {
  for (const table of TABLES) {
    const all = model.sorted(table);
    const from = keyIn(random, table);
    const to = keyIn(random, table);
    const forward = { fromA: from.a, fromB: from.b, toA: to.a, toB: to.b };
    const found = (range: Parameters<StoreReader['range']>[1]): ModelRow[] =>
      Array.from(reader.range(table, range), ({ a, b, value }) => ({ a, b, value: textIn(table, value) }));
    assert.deepEqual(found({ fromA: 0, toA: HASHES }), all, `all of table ${table.number}`);
    assert.deepEqual(
      found({ fromA: HASHES, toA: -1, reverse: true }),
      all.toReversed(),
      `table ${table.number} from above`,
    );
    const isFrom = ({ a, b }: ModelRow, sign: number): boolean =>
      sign * compareKeys(a, b, from.a, from.b) >= 0;
    const isTo = ({ a, b }: ModelRow, sign: number): boolean => sign * compareKeys(a, b, to.a, to.b) < 0;
    assert.deepEqual(
      found(forward),
      all.filter((row) => isFrom(row, 1) && isTo(row, 1)),
    );
    assert.deepEqual(
      found({ ...forward, reverse: true }),
      all.filter((row) => isFrom(row, -1) && isTo(row, -1)).toReversed(),
    );
    if (!table.adds) {
      const expected = model.of(table).get(`${from.a}/${from.b}`)?.value;
      assert.equal(
        reader.get(table, from.a, from.b, (value) => textIn(table, value)),
        table.hasValue ? expected : expected && '',
      );
    }
    if (!table.isFiltered) continue;
    const refs = all.filter(({ a }) => a === from.a).map(({ b }) => b);
    assert.deepEqual(
      [...new Set(Array.from(reader.range(table, { fromA: from.a, toA: from.a + 1 }), ({ b }) => b))].sort(
        (x, y) => x - y,
      ),
      refs,
    );
    if (refs.length > 0) assert.ok(reader.mayHave(table, from.a));
  }
}

test('whatever is put, ended and added is read as it was written last', async (context) => {
  const random = randomFromEnvironment();
  const folder = await createTemporaryFolder('store');
  context.after(() => folder.remove());
  createStore(folder.path);
  let files = new StoreFiles(folder.path, ALL_TABLES, TINY);
  const reader = new StoreReader(folder.path);
  context.after(() => reader.close());
  const model = new Model();
  const rows = new RowBatches();
  let position = 0;
  for (let round = roundsOr(120); round > 0; round -= 1) {
    const step = below(random, 10);
    if (step < 4) {
      change(random, model, rows);
      position += 1;
      files.add({ position, journalHash: '' }, rows);
    } else if (step < 9) {
      for (let parts = below(random, 20); parts > 0 && files.mergePart(); parts -= 1);
    } else {
      if (below(random, 2) === 0) files.stop();
      files = new StoreFiles(folder.path, ALL_TABLES, TINY);
    }
    if (below(random, 3) === 0) reader.refresh();
    if (reader.list.position === position) compare(random, model, reader);
  }
  while (files.mergePart());
  reader.refresh();
  compare(random, model, reader);
  files.stop();
  const names = readdirSync(folder.path).filter((name) => name !== 'LIST' && name !== UNFINISHED_FOLDER);
  assert.equal(names.length, files.list.files.length, 'nothing is left that the list does not name');
  assert.ok(names.length <= 3 * 4, `${names.length} files are left`);
});

test('a table of many blocks is found from anywhere', async (context) => {
  const folder = await createTemporaryFolder('store');
  context.after(() => folder.remove());
  createStore(folder.path);
  const files = new StoreFiles(folder.path, ALL_TABLES);
  const rows = new RowBatches();
  const value = Buffer.alloc(200, 'v');
  const count = 12_000;
  for (const odd of [0, 1, 0, 0]) {
    for (let id = odd; id < count; id += 2) {
      rows.of(STORE.orders).values.bytes(value);
      rows.of(STORE.orders).add(id);
    }
    files.add({ position: 1, journalHash: '' }, rows);
  }
  while (files.mergePart());
  const reader = new StoreReader(folder.path);
  context.after(() => reader.close());
  assert.equal(reader.files.length, 1);
  for (let id = 0; id < count; id += 1)
    assert.equal(
      reader.get(STORE.orders, id, 0, ({ length }) => length),
      200,
    );
  const ids = Array.from(
    reader.range(STORE.orders, { fromA: 5_000, toA: 4_000, reverse: true }),
    ({ a }) => a,
  );
  assert.deepEqual(
    ids,
    Array.from({ length: 1_000 }, (_, index) => 5_000 - index),
  );
});
