/** Processes that are killed while they take in files, texts and rows, again and again: what was stored is whole. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { emptyUnfinished } from '../../../../src/persistence/folder/data-folder.ts';
import { checkLmdbFile } from '../../../../src/persistence/lmdb/lmdb-file.ts';
import { FileScene, listFiles, readBack } from '../../../persistence/files/file-scene.ts';
import { numbered, StockScene } from '../../../persistence/stock/stock-scene.ts';
import { patternBytes } from '../../../support/pattern-bytes.ts';
import { randomFromEnvironment } from '../../../support/random.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

const PROGRAM = join(import.meta.dirname, 'killed-writer.js');
/** A child that lives this long hangs, and is killed, which no test takes for its own end. */
const HANGS_AFTER_MS = 120_000;
const PRODUCT = 7;
const STOCK_KILLS = 6;
/** Several batches, which an upload that is killed may have written in part. */
const LINES = 30_000;
const FILE_KILLS = 10;
const SEEDS_PER_CHILD = 100_000;
const ROW_KILLS = 6;

const random = randomFromEnvironment();
const told = `PURSER_TEST_SEED=${random.seed}`;

class Writer {
  readonly #child;
  readonly #ended: Promise<unknown[]>;
  #said = '';

  constructor(...args: readonly string[]) {
    this.#child = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      timeout: HANGS_AFTER_MS,
      killSignal: 'SIGTERM',
    });
    this.#ended = once(this.#child, 'close');
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
  }

  /** The whole lines of it. */
  get lines(): string[] {
    return this.#said.split('\n').slice(0, -1);
  }

  /** Waits until a state is reached. The machine decides how soon. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo() && this.#child.exitCode === null && this.#child.signalCode === null) await delay(2);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    assert.deepEqual(await this.#ended, [null, 'SIGKILL']);
  }
}

test(`files that were said to be stored are there, and none has a name that is not whole (${told})`, async () => {
  await using scene = await FileScene.open();
  const stored = new Map<string, number>();
  let leftovers = 0;
  for (let kill = 0; kill < FILE_KILLS; kill += 1) {
    const writer = new Writer(scene.dataDir, 'files', String(kill * SEEDS_PER_CHILD));
    const least = kill % 2 === 0 ? 2 : 1;
    await writer.until(() => writer.lines.length >= least);
    await delay(random.between(0, 300));
    await writer.kill();
    for (const line of writer.lines.slice(1)) {
      const [fileId = '', seed] = line.split(' ');
      stored.set(fileId, Number(seed));
    }
    leftovers += listFiles(scene.dataDir).filter((name) => name.startsWith('unfinished')).length;
    emptyUnfinished(scene.dataDir, assert.fail);
  }
  assert.ok(stored.size > 0 && leftovers > 0, `${stored.size} files stored, ${leftovers} cut off`);
  await scene.reopen();
  for (const [fileId, seed] of stored) {
    const bytes = patternBytes(50_000 + (seed % 7) * 100_000, seed);
    assert.ok((await readBack(scene.store, fileId)).equals(bytes), `file ${fileId}, made from ${seed}`);
  }
  for (const name of scene.names()) await readBack(scene.store, name);
});

async function startUpload(scene: StockScene, lines: readonly string[]): Promise<Writer> {
  const linesFile = join(scene.folder, 'lines');
  writeFileSync(linesFile, lines.join('\n'));
  const key = scene.keyBytes.toString('base64');
  const writer = new Writer(scene.folder, 'stock', key, String(scene.end(PRODUCT)), linesFile);
  await writer.until(() => writer.lines.length > 0);
  return writer;
}

test(`uploads that were killed leave nothing that anyone can see, and are simply sent again (${told})`, async (t) => {
  const scene = await StockScene.open();
  t.after(() => scene.close());
  const first = numbered('first', 1_000);
  await scene.upload(PRODUCT, first);
  await scene.closeStore();
  const before = statSync(scene.file).size;
  const hasWritten = () => statSync(scene.file).size > before;
  const lines = numbered('code', LINES);
  // Each takes other numbers for the same texts, so that stale fingerprints name what others have.
  for (let kill = 0; kill < STOCK_KILLS; kill += 1) {
    const shift = random.between(0, lines.length - 1);
    const writer = await startUpload(scene, [...lines.slice(shift), ...lines.slice(0, shift)]);
    // One is killed when it has written something, the others at any time.
    if (kill === STOCK_KILLS - 1) await writer.until(hasWritten);
    await delay(random.between(0, 500));
    await writer.kill();
  }
  assert.ok(hasWritten(), 'the killed uploads had written something');
  await scene.reopen();
  assert.deepEqual(scene.read(PRODUCT), first);
  const again = await scene.upload(PRODUCT, ['first-3', ...lines, 'code-7']);
  assert.deepEqual(again, { firstItem: 1_000, added: LINES, duplicates: 2 });
  await scene.reopen();
  assert.deepEqual(scene.read(PRODUCT), [...first, ...lines]);
  const known = await scene.upload(PRODUCT, lines);
  assert.deepEqual(known, { firstItem: 1_000 + LINES, added: 0, duplicates: LINES });
});

test('a file of the database is sound, with everything in it that was acknowledged', async (t) => {
  const folder = await createTemporaryFolder('killed-rows');
  t.after(() => folder.remove());
  for (let round = 0; round < ROW_KILLS; round += 1) {
    const writer = new Writer(folder.path, 'rows');
    await writer.until(() => writer.lines.length > 10 + 7 * round);
    await writer.kill();
    const acknowledged = Number(writer.lines.at(-1));
    const found = checkLmdbFile(join(folder.path, 'rows.mdb')).entries.get('frames') ?? 0;
    assert.ok(acknowledged > 0 && found >= acknowledged, `${found} found of ${acknowledged}`);
  }
});
