/**
 * A run file by itself: it gives what was written, from anywhere and in both directions, whatever its size; and of one in
 * which any byte has changed, nothing is believed.
 */
import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DamagedFileError } from '../../../src/persistence/lmdb/damaged-file.ts';
import { RunFile } from '../../../src/persistence/runs/run-file.ts';
import { RunWriter, type WrittenRun } from '../../../src/persistence/runs/run-writer.ts';
import { TableFilter } from '../../../src/persistence/store/table-filter.ts';
import { Random, randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const sizes: readonly (readonly [title: string, rows: number, valueBytes: number])[] = [
  ['one row', 1, 10],
  ['one row that is longer than what is gathered before it is written', 1, 1_200_000],
  ['a block of rows', 50, 40],
  ['two levels of blocks', 3_000, 30],
  ['three levels of blocks', 30_000, 60],
  ['rows of a block each', 300, 9_000],
];

describe('a run file', () => {
  let folder: Awaited<ReturnType<typeof createTemporaryFolder>>;
  before(async () => {
    folder = await createTemporaryFolder('run-file');
  });
  after(() => folder.remove());

  const write = (rows: number, valueBytes: number, isPacked = false) => {
    const file = join(folder.path, `checkpoint-${rows}-${valueBytes}.run`);
    const writer = new RunWriter(file, { isPacked });
    const filter = TableFilter.of(rows);
    for (let row = 0; row < rows; row += 1) {
      writer.add(keyOf(row), valueAt(row, valueBytes));
      filter.add(row);
    }
    return { file, written: writer.finish(filter) };
  };

  for (const [title, rows, valueBytes] of sizes) {
    test(`of ${title} gives what was written, packed or plain`, () => {
      for (const isPacked of [false, true]) expectAll(rows, valueBytes, isPacked);
    });
  }

  function expectAll(rows: number, valueBytes: number, isPacked: boolean): void {
    const { file, written } = write(rows, valueBytes, isPacked);
    const run = new RunFile(file, written);
    try {
      let row = 0;
      for (const { key, value } of run.range()) {
        assert.ok(key.equals(keyOf(row)) && value.equals(valueAt(row, valueBytes)), `row ${row}`);
        row += 1;
      }
      assert.equal(row, rows);
      for (const { key } of run.range({ reverse: true })) {
        row -= 1;
        assert.ok(key.equals(keyOf(row)), `row ${row}, backwards`);
      }
      const random = new Random(rows);
      for (let look = 0; look < 100; look += 1) {
        const at = random.between(0, rows - 1);
        assert.deepEqual(get(run, keyOf(at)), valueAt(at, valueBytes));
        assert.equal(get(run, Buffer.concat([keyOf(at), Buffer.of(0)])), undefined, 'a key between two');
        assert.ok(run.mayHave(at));
        const [next] = run.range({ start: Buffer.concat([keyOf(at), Buffer.of(0)]) });
        assert.deepEqual(next?.key, at + 1 < rows ? keyOf(at + 1) : undefined);
        const [before] = run.range({ start: Buffer.concat([keyOf(at), Buffer.of(0)]), reverse: true });
        assert.deepEqual(before?.key, keyOf(at));
      }
      run.check(() => {});
    } finally {
      run.close();
    }
  }

  test('gives a row as it is while another one is read', () => {
    const { file, written } = write(2_000, 100);
    const run = new RunFile(file, written);
    let seen = 0;
    run.find(keyOf(3), (outer) => {
      run.find(keyOf(1_900), (inner) => {
        assert.deepEqual([outer, inner], [valueAt(3, 100), valueAt(1_900, 100)]);
        seen += 1;
      });
      assert.deepEqual(outer, valueAt(3, 100));
    });
    assert.equal(seen, 1);
    const fails = () =>
      run.find(keyOf(3), () => {
        throw new Error('what a row was looked at for');
      });
    assert.throws(fails, /what a row was looked at for/);
    assert.deepEqual(get(run, keyOf(4)), valueAt(4, 100));
    run.close();
  });

  const random = randomFromEnvironment();
  for (const isPacked of [false, true])
    test(`in which a byte has changed is found out by who reads that part, ${isPacked ? 'packed' : 'plain'}, seed ${random.seed}`, () => {
      const rows = 3_000;
      const { file, written } = write(rows, 50, isPacked);
      const bytes = readFileSync(file);
      for (let round = roundsOr(40); round > 0; round -= 1) {
        const place = random.between(0, bytes.length - 1);
        const changed = Buffer.from(bytes);
        changed[place] = (changed[place] ?? 0) ^ (1 << random.between(0, 7));
        writeFileSync(file, changed);
        assert.throws(() => readAll(file, written), DamagedFileError, `byte ${place}`);
        // Whoever reads another part gets it as it is.
        const found = read(file, written, random.between(0, rows - 1));
        assert.ok(found === 'damaged' || found === 'right', `byte ${place}: ${found}`);
      }
      writeFileSync(file, bytes);
      readAll(file, written);
    });

  test('of another length, or that another one took the place of, is refused', () => {
    const { file, written } = write(500, 50);
    for (const length of [0, written.bytes - 1, written.bytes + 1]) {
      truncateSync(file, length);
      assert.throws(() => new RunFile(file, written), DamagedFileError);
    }
    assert.throws(() => new RunFile(write(500, 51).file, written), DamagedFileError);
  });
});

function keyOf(row: number): Buffer {
  const key = Buffer.alloc(12);
  key.writeUInt32BE(row, 4);
  return key;
}

function valueAt(row: number, bytes: number): Buffer {
  return Buffer.alloc(bytes, `${row} `);
}

function readAll(file: string, written: WrittenRun): void {
  const run = new RunFile(file, written);
  try {
    run.check(() => {});
  } finally {
    run.close();
  }
}

function read(file: string, written: WrittenRun, row: number): 'damaged' | 'right' | 'wrong' {
  try {
    const run = new RunFile(file, written);
    try {
      return get(run, keyOf(row))?.equals(valueAt(row, 50)) ? 'right' : 'wrong';
    } finally {
      run.close();
    }
  } catch (error) {
    assert.ok(error instanceof DamagedFileError);
    return 'damaged';
  }
}

function get(run: RunFile, key: Buffer): Buffer | undefined {
  let row: Buffer | undefined;
  const isThere = run.find(key, (value) => {
    row = Buffer.from(value);
  });
  assert.equal(isThere, row !== undefined);
  return row;
}
