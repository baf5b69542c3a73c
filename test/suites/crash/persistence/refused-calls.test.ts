/**
 * Calls in the checkpoint's folder that the system refuses, each of them once: for want of room, or of a file descriptor,
 * or because the disk fails. A fold, a merge or a reader throws it as what it is, and never as damage; nothing is lost, and
 * all goes on when the system lets it.
 */
import assert from 'node:assert/strict';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Rejection } from '../../../../src/engine/decide/rejection.ts';
import { checkpointIn } from '../../../../src/persistence/checkpoint/checkpoint.ts';
import { CheckpointFold } from '../../../../src/persistence/checkpoint/checkpoint-fold.ts';
import { Checkpointer } from '../../../../src/persistence/checkpoint/checkpointer.ts';
import { ALL_TABLES, TABLES } from '../../../../src/persistence/checkpoint/tables.ts';
import { openLogReader } from '../../../../src/persistence/journal/open-log.ts';
import { DamagedFileError, RefusedFileError } from '../../../../src/persistence/lmdb/damaged-file.ts';
import { StoreReader } from '../../../../src/persistence/store/store-reader.ts';
import { innerCodeOf } from '../../../../src/shared/error-code.ts';
import { placeOrder, worldFacts } from '../../../engine/commands.ts';
import { JournalFolder } from '../../../persistence/journal/journal-folder.ts';
import { eventually } from '../../../support/eventually.ts';
import { randomFromEnvironment, roundsOr } from '../../../support/random.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/temporary-folder.ts';
import { type FileCall, systemError, watchFileCalls } from './file-calls.ts';
import { FoldScene, TINY } from './fold-scene.ts';

const EVENTS = 250;
/** So many files are there before. */
const FILES = 4;
/** Of each error and each work: other calls every time. */
const SAMPLE = roundsOr(60);

const OPENS = new Set(['openSync', 'readFileSync', 'readdirSync']);
const ERRORS: Readonly<Record<string, (call: FileCall) => boolean>> = {
  ENOSPC: ({ name, writes }) => writes && name !== 'rmSync',
  EMFILE: ({ name }) => OPENS.has(name),
  EIO: ({ name }) => name !== 'closeSync',
};
const random = randomFromEnvironment();

describe(`what the system refuses (seed ${random.seed})`, { timeout: 600_000 }, () => {
  let folder: TemporaryFolder;
  let scene: FoldScene;
  /** A checkpoint of half of the facts, of several files. */
  let original: string;
  let half: number;
  let store: string;

  before(async () => {
    folder = await createTemporaryFolder('refused-calls');
    scene = await FoldScene.make(folder.path, random, EVENTS);
    original = checkpointIn(scene.path);
    store = join(folder.path, 'store');
    const fold = newFold(original);
    const ends = scene.ends(0);
    half = ends[ends.length >>> 1] ?? 0;
    for (let file = 1; file <= FILES; file += 1)
      fold.foldThrough(ends.findLast((end) => end <= (half * file) / FILES) ?? 0);
    await fold.close();
  });
  after(() => folder.remove());

  const newFold = (place: string) => new CheckpointFold(place, openLogReader(scene.path), TINY);

  const begin = () => {
    rmSync(store, { recursive: true, force: true });
    cpSync(original, store, { recursive: true });
  };

  /** Runs `work` with an error at the call with this number; what it has thrown, and where. */
  async function refuse(code: string, number: number, work: () => void | Promise<void>) {
    const isRefused = ERRORS[code] ?? assert.fail();
    let calls = 0;
    let where = '';
    const end = watchFileCalls(store, (call) => {
      if (!isRefused(call)) return;
      calls += 1;
      if (calls !== number) return;
      where = `${code} at ${call.name} of ${call.path}, call ${number}`;
      if (code === 'ENOSPC') call.half();
      throw systemError(code, call);
    });
    let error: unknown;
    try {
      await work();
    } catch (thrown) {
      error = thrown;
    } finally {
      end();
    }
    if (where !== '') {
      assert.equal(innerCodeOf(error), code, `${where}: ${error}`);
      assert.ok(
        !(error instanceof DamagedFileError) || error instanceof RefusedFileError,
        `${where}: ${error}`,
      );
    } else if (error !== undefined) throw error;
    return { error, where, calls };
  }

  /** Some of the calls that `work` makes. */
  async function numbers(code: string, work: () => void | Promise<void>): Promise<number[]> {
    const { calls } = await refuse(code, 0, work);
    assert.ok(calls > 0);
    return random.sample(
      Array.from({ length: calls }, (_, index) => index + 1),
      SAMPLE,
    );
  }

  for (const code of Object.keys(ERRORS)) {
    test(`a fold and its merges go on after ${code}`, async () => {
      const folds: CheckpointFold[] = [];
      let isMerging = false;
      const work = () => {
        isMerging = false;
        const fold = newFold(store);
        folds.push(fold);
        fold.foldThrough(scene.end);
        isMerging = true;
        while (fold.mergePart());
      };
      begin();
      for (const number of await numbers(code, work)) {
        for (const fold of folds.splice(0)) await fold.close();
        begin();
        const reader = new StoreReader(store);
        const { where, error } = await refuse(code, number, work);
        assert.equal(scene.expectAll(reader), half, where);
        reader.refresh();
        assert.ok(scene.expectAll(reader) >= half, where);
        reader.close();
        // As its thread does: a file that was refused is merged another time, and after all else it begins anew.
        const goesOn = isMerging && error instanceof RefusedFileError;
        const [fold = newFold(store)] = goesOn ? folds : [];
        fold.foldThrough(scene.end);
        while (fold.mergePart());
        await fold.close();
        assert.equal(scene.expectSound(store), scene.end, where);
        assert.deepEqual(unlisted(store), [], where);
      }
    });
  }

  for (const code of ['EMFILE', 'EIO']) {
    test(`a reader reads all after ${code}`, async () => {
      begin();
      const readAll = (reader: StoreReader) => {
        for (const table of ALL_TABLES)
          for (const { a } of reader.range(table, { fromA: 0, toA: Number.MAX_SAFE_INTEGER }))
            if (table.isFiltered) reader.mayHave(table, a);
            else reader.get(table, a, 0, () => true);
      };
      const readers: StoreReader[] = [];
      const work = () => {
        const reader = new StoreReader(store);
        readers.push(reader);
        readAll(reader);
      };
      for (const number of await numbers(code, work)) {
        for (const reader of readers.splice(0)) reader.close();
        const { where, error } = await refuse(code, number, work);
        assert.ok(error instanceof RefusedFileError, `${where}: ${error}`);
        const [reader = new StoreReader(store)] = readers;
        assert.equal(scene.expectAll(reader), half, where);
        reader.close();
      }
    });

    test(`who follows the list sees all as before after ${code}, and then the new files`, async () => {
      begin();
      let reader = new StoreReader(store);
      const fold = newFold(store);
      fold.foldThrough(scene.end);
      while (fold.mergePart());
      await fold.close();
      const merged = join(folder.path, 'merged');
      cpSync(store, merged, { recursive: true });
      const work = () => reader.refreshGently(TABLES.keys);
      const some = await numbers(code, work);
      reader.close();
      for (const number of some) {
        begin();
        reader = new StoreReader(store);
        rmSync(store, { recursive: true });
        cpSync(merged, store, { recursive: true });
        const { where, error } = await refuse(code, number, work);
        assert.ok(error instanceof RefusedFileError, `${where}: ${error}`);
        assert.equal(scene.expectAll(reader), half, where);
        await work();
        assert.equal(scene.expectAll(reader), scene.end, where);
        reader.close();
      }
    });
  }
});

test('a node that gets no file tells that it is tried again, and sees the new files when it does', async (t) => {
  const temporary = await createTemporaryFolder('refused-calls');
  const before = await JournalFolder.open(temporary.path);
  await before.append(worldFacts({ accounts: 1, products: 1, balanceMicros: 1e9, stock: 10 }));
  await before.close();
  const folder = await JournalFolder.open(temporary.path);
  const { engine, history } = folder;
  const told: string[] = [];
  const checkpointer = new Checkpointer({
    folder: temporary.path,
    engine,
    history,
    position: 0,
    onFatal: (error) => assert.fail(String(error)),
    onDamage: (damage) => told.push(damage),
    onDelay: assert.fail,
  });
  checkpointer.start();
  t.after(async () => {
    await checkpointer.stop();
    await folder.close();
    await temporary.remove();
  });
  for (const code of ['EMFILE', 'EIO']) {
    const key = `with ${code}`;
    const bought = await new Promise((resolve) =>
      engine.submit(placeOrder({ idempotencyKey: key }), resolve),
    );
    assert.ok(!(bought instanceof Rejection));
    const end = watchFileCalls(checkpointIn(temporary.path), (call) => {
      if (call.name === 'openSync' && call.path.endsWith('.tbl')) throw systemError(code, call);
    });
    const position = engine.durablePosition;
    const reached = checkpointer.reach(position);
    await eventually('it is told', () => told.length > 0);
    assert.equal(await checkpointer.reach(position, 0), 'refusal');
    end();
    assert.equal(await reached, 'reached');
    const [what = '', ...more] = told.splice(0);
    assert.deepEqual(more, []);
    assert.match(
      what,
      new RegExp(`^the checkpoint waits, since .*tbl cannot be opened: .*${code}.*; it is tried again$`),
    );
    assert.ok(history.purchaseOutcome(1, key) !== undefined, 'what was folded is seen');
  }
});

/** Files that the list doesn't name. */
function unlisted(store: string): string[] {
  const reader = new StoreReader(store);
  const listed = new Set(reader.list.files.map(({ number }) => `${String(number).padStart(10, '0')}.tbl`));
  reader.close();
  const files = readdirSync(store, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.map(({ name }) => name).filter((name) => name !== 'LIST' && !listed.has(name));
}
