/**
 * A file of the store that isn't what was written: each byte flipped, cut short anywhere, emptied, removed. What is read
 * then is right, or refused with the file's name; and a merge leaves it as it is, and goes on with younger files.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RowBatches } from '../../../src/persistence/checkpoint/row-batches.ts';
import { ALL_TABLES, TABLES as STORE } from '../../../src/persistence/checkpoint/tables.ts';
import { DamagedFileError } from '../../../src/persistence/lmdb/damaged-file.ts';
import { createStore, tablePath } from '../../../src/persistence/store/file-list.ts';
import { StoreFiles } from '../../../src/persistence/store/store-files.ts';
import { StoreReader } from '../../../src/persistence/store/store-reader.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const HASH_STEP = 2 ** 46;
const COUNT = 20;

function fill(files: StoreFiles, position: number): void {
  const rows = new RowBatches();
  for (let at = 0; at < COUNT; at += 1) {
    const id = position * COUNT + at;
    rows.of(STORE.orders).values.bytes(Buffer.from(`order ${id}`));
    rows.of(STORE.orders).add(id);
    rows.of(STORE.keys).add(id * HASH_STEP, id);
  }
  files.add({ position, journalHash: '' }, rows);
}

/** All that is read of it. */
function contents(folder: string): unknown {
  const reader = new StoreReader(folder);
  try {
    const orders = Array.from(reader.range(STORE.orders, { fromA: 0, toA: 1e9 }), ({ a, value }) => [
      a,
      String(Buffer.from(value)),
    ]);
    const refs = orders.map(([id]) =>
      Array.from(
        reader.range(STORE.keys, { fromA: Number(id) * HASH_STEP, toA: Number(id) * HASH_STEP + 1 }),
        ({ b }) => [b, reader.mayHave(STORE.keys, Number(id) * HASH_STEP)],
      ),
    );
    return [
      orders,
      refs,
      orders.map(([id]) => reader.get(STORE.orders, Number(id), 0, (value) => String(Buffer.from(value)))),
    ];
  } finally {
    reader.close();
  }
}

async function store(context: TestContext, folds: number): Promise<string> {
  const folder = await createTemporaryFolder('store');
  context.after(() => folder.remove());
  createStore(folder.path);
  const files = new StoreFiles(folder.path, ALL_TABLES);
  for (let fold = 1; fold <= folds; fold += 1) fill(files, fold);
  return folder.path;
}

test('a file that was damaged anywhere is read as it was, or refused by its name', async (context) => {
  const folder = await store(context, 2);
  const right = contents(folder);
  let refused = 0;
  for (const path of [join(folder, 'LIST'), tablePath(folder, 1)]) {
    const bytes = readFileSync(path);
    const look = (damaged: Buffer | undefined, what: string): void => {
      if (damaged === undefined) rmSync(path);
      else writeFileSync(path, damaged);
      try {
        assert.deepEqual(contents(folder), right, `${path}, ${what}`);
      } catch (error) {
        if (!(error instanceof DamagedFileError)) throw error;
        assert.ok(error.message.startsWith(path), `${error.message} names ${path}`);
        refused += 1;
      }
      writeFileSync(path, bytes);
    };
    for (let at = 0; at < bytes.length; at += 1) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at & 7));
      look(flipped, `byte ${at}`);
    }
    for (let length = 0; length < bytes.length; length += 1 + (bytes.length >>> 6))
      look(bytes.subarray(0, length), `cut to ${length}`);
    look(undefined, 'removed');
  }
  assert.ok(refused > 0);
});

test('a list with a byte less or more at its end is damaged', async (context) => {
  const folder = await store(context, 1);
  const path = join(folder, 'LIST');
  const text = readFileSync(path, 'utf8');
  for (const other of [text.slice(0, -1), `${text}\n`]) {
    writeFileSync(path, other);
    assert.throws(() => new StoreReader(folder), DamagedFileError);
  }
  writeFileSync(path, text);
  new StoreReader(folder).close();
});

test('a damaged file is merged no more, and younger ones are', async (context) => {
  const folder = await store(context, 4);
  const path = tablePath(folder, 2);
  const bytes = readFileSync(path);
  bytes[10] = (bytes[10] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  const files = new StoreFiles(folder, ALL_TABLES);
  assert.throws(() => {
    while (files.mergePart());
  }, DamagedFileError);
  assert.deepEqual(
    files.list.files.map(({ number }) => number),
    [1, 2, 3, 4],
  );
  fill(files, 5);
  fill(files, 6);
  while (files.mergePart());
  assert.equal(files.list.files.length, 3, 'the younger four are one');
  assert.deepEqual(
    files.list.files.slice(0, 2).map(({ number }) => number),
    [1, 2],
  );
  assert.ok(existsSync(path));
});
