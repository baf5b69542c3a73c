/** Files that the library wrote are sound, whatever their shape; a file that is not one is refused in one line. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RootDatabase } from 'lmdb';
import { DamagedFileError } from '../../../src/persistence/lmdb/damaged-file.ts';
import { checkLmdbFile } from '../../../src/persistence/lmdb/lmdb-file.ts';
import { randomFromEnvironment, roundsOr } from '../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/temporary-folder.ts';
import { collect, keyed, numbered, openSample, writeMixedSample, writeSample } from './lmdb-samples.ts';

/** Each opens the file, writes 20 transactions, and copies it. */
const CHURN_ROUNDS = roundsOr(3);

let folder: TemporaryFolder;
describe('files of LMDB', () => {
  before(async () => {
    folder = await createTemporaryFolder('lmdb-file');
  });
  after(() => folder.remove());

  interface Shape {
    readonly name: string;
    readonly write: (root: RootDatabase<Buffer, number>) => void;
    readonly entries: Readonly<Record<string, number>>;
    readonly pageBytes?: number;
  }

  function putMany(
    root: RootDatabase<Buffer, number>,
    name: string,
    count: number,
    valueBytes: number,
  ): void {
    const database = numbered(root, name);
    root.transactionSync(() => {
      for (let key = 1; key <= count; key += 1) database.putSync(key, Buffer.alloc(valueBytes, key % 256));
    });
  }

  const SHAPES: readonly Shape[] = [
    { name: 'no entries', write: (root) => void numbered(root, 'frames'), entries: { frames: 0 } },
    { name: 'one entry', write: (root) => putMany(root, 'frames', 1, 10), entries: { frames: 1 } },
    {
      name: 'a deep tree of the smallest pages',
      write: (root) => putMany(root, 'frames', 10_000, 20),
      entries: { frames: 10_000 },
      pageBytes: 512,
    },
    {
      name: 'values on overflow pages',
      write: (root) => putMany(root, 'frames', 30, 100_000),
      entries: { frames: 30 },
    },
    {
      name: 'keys of the greatest length, and some that begin alike',
      write: (root) => {
        const rows = keyed(root, 'rows');
        root.transactionSync(() => {
          for (let key = 0; key < 100; key += 1) rows.putSync(Buffer.alloc(1_978, key), Buffer.alloc(key));
          for (let length = 1; length <= 300; length += 1)
            rows.putSync(Buffer.alloc(length), Buffer.alloc(9));
        });
      },
      entries: { rows: 400 },
    },
    {
      name: 'databases of which one was emptied, one dropped, and one lost most entries',
      write: (root) => {
        for (const name of ['a', 'b', 'c', 'Ümläut and a rather long name']) putMany(root, name, 3_000, 50);
        numbered(root, 'b').clearSync();
        numbered(root, 'c').dropSync();
        const a = numbered(root, 'a');
        for (let from = 1; from < 2_900; from += 100)
          root.transactionSync(() => {
            for (let key = from; key < from + 100; key += 1) a.removeSync(key);
          });
      },
      entries: { a: 100, b: 0, 'Ümläut and a rather long name': 3_000 },
    },
  ];

  describe('a file that the library wrote', () => {
    for (const [index, shape] of SHAPES.entries()) {
      it(`is sound with ${shape.name}`, async () => {
        const path = join(folder.path, `shape-${index}.mdb`);
        await writeSample(path, shape.write, shape.pageBytes);
        let seen = 0;
        const report = checkLmdbFile(path, () => {
          seen += 1;
        });
        assert.deepEqual(Object.fromEntries(report.entries), shape.entries);
        assert.equal(
          seen,
          Object.values(shape.entries).reduce((sum, count) => sum + count, 0),
        );
        assert.equal(report.lostPages, 0);
        assert.deepEqual(checkLmdbFile(path), report, 'the same without looking at the entries');
      });
    }

    it('stays sound through many small transactions, reopening and copying', async () => {
      const random = randomFromEnvironment();
      const path = join(folder.path, 'churn.mdb');
      const present = new Set<number>();
      for (let round = 0; round < CHURN_ROUNDS; round += 1) {
        const root = openSample(path);
        const frames = numbered(root, 'frames');
        for (let transaction = 0; transaction < 20; transaction += 1) {
          root.transactionSync(() => {
            for (let step = 0; step < 30; step += 1) {
              const key = random.between(1, 2_000);
              if (random.chance(0.5)) {
                frames.putSync(key, Buffer.alloc(random.pick([0, 20, 300, 1_500, 5_000, 40_000])));
                present.add(key);
              } else {
                frames.removeSync(key);
                present.delete(key);
              }
            }
          });
          const { entries, lostPages } = checkLmdbFile(path);
          assert.deepEqual([entries.get('frames'), lostPages], [present.size, 0], `seed ${random.seed}`);
        }
        for (const compact of [false, true]) {
          const copy = join(folder.path, `copy-${round}-${compact}.mdb`);
          await root.backup(copy, compact);
          assert.equal(checkLmdbFile(copy).entries.get('frames'), present.size, `seed ${random.seed}`);
          await writeSample(copy, (copied) => numbered(copied, 'frames').putSync(5_000, Buffer.alloc(50)));
          assert.equal(checkLmdbFile(copy).entries.get('frames'), present.size + 1, `seed ${random.seed}`);
        }
        await root.close();
      }
    });
  });

  describe('a file that is not sound', () => {
    let sound: string;
    before(async () => {
      sound = join(folder.path, 'sound.mdb');
      await writeMixedSample(sound, randomFromEnvironment());
    });

    async function refusal(path: string): Promise<string> {
      try {
        checkLmdbFile(path);
      } catch (error) {
        assert.ok(error instanceof DamagedFileError, `unexpected ${error}`);
        assert.ok(!error.message.includes('\n'));
        assert.ok(error.message.startsWith(path));
        return error.message.slice(path.length + 1);
      }
      return assert.fail('accepted');
    }

    it('is refused when it is empty, missing, a folder, or something else', async () => {
      const path = (name: string) => join(folder.path, name);
      await writeFile(path('empty'), '');
      await writeFile(path('text'), 'this is not a database\n'.repeat(10_000));
      await mkdir(path('directory'));
      assert.equal(await refusal(path('empty')), 'is empty');
      assert.equal(await refusal(path('missing')), 'is missing');
      assert.equal(await refusal(path('directory')), 'is not a regular file');
      assert.match(await refusal(path('text')), /^is damaged at page 0: not a meta page/);
    });

    it('is refused however much of its end is missing', async () => {
      const path = join(folder.path, 'short');
      const { size } = await stat(sound);
      const { entries } = collect(sound);
      for (let length = 1; length < size; length += 1_021) {
        await copyFile(sound, path);
        await truncate(path, length);
        assert.match(await refusal(path), /^is cut short: \d+ bytes, \d+ expected$/, `at ${length} bytes`);
      }
      await copyFile(sound, path);
      assert.deepEqual(collect(path).entries, entries);
    });
  });
});
