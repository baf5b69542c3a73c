import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { isLongRun, randomFromEnvironment } from '../support/random.ts';
import { numbered, StockScene } from './stock-scene.ts';

const PRODUCT = 7;
const CHILD = join(import.meta.dirname, 'stock-crash-child.js');
const KILLS = isLongRun() ? 6 : 2;
/** Of an upload: several batches, which an upload that is killed may have written in part. */
const LINES = isLongRun() ? 30_000 : 15_000;
/** A child that lives this long hangs, and is killed, which no test takes for its own end. */
const HANGS_AFTER_MS = 60_000;

/** Starts an upload in a process of its own. */
async function startUpload(scene: StockScene, lines: readonly string[], exitAfterMs?: number) {
  const linesFile = join(scene.folder, 'lines');
  writeFileSync(linesFile, lines.join('\n'));
  const key = scene.keyBytes.toString('base64');
  const args = [CHILD, scene.file, key, String(scene.end(PRODUCT)), linesFile];
  if (exitAfterMs !== undefined) args.push(String(exitAfterMs));
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: HANGS_AFTER_MS,
    killSignal: 'SIGKILL',
  });
  const hasEnded = once(child, 'exit');
  const [said] = await once(child.stdout, 'data');
  assert.equal(String(said), 'begins\n');
  return { child, hasEnded };
}

/** `beginsWhen`: what must be so before the time begins. */
async function uploadAndKill(
  scene: StockScene,
  lines: readonly string[],
  afterMs: number,
  beginsWhen: () => boolean,
): Promise<void> {
  const { child, hasEnded } = await startUpload(scene, lines);
  while (!beginsWhen() && child.exitCode === null && child.signalCode === null) await delay(5);
  await delay(afterMs);
  child.kill('SIGKILL');
  const [, signal] = await hasEnded;
  assert.equal(signal, 'SIGKILL');
}

describe('a process that is killed in the middle of an upload', { timeout: KILLS * HANGS_AFTER_MS }, () => {
  test('leaves nothing that anyone can see, and the upload is simply sent again', async () => {
    const random = randomFromEnvironment();
    console.log(`# PURSER_TEST_SEED=${random.seed}`);
    const scene = await StockScene.open();
    try {
      const first = numbered('first', 1_000);
      await scene.upload(PRODUCT, first);
      await scene.closeStore();
      const before = statSync(scene.file).size;
      const hasWritten = () => statSync(scene.file).size > before;
      const lines = numbered('code', LINES);
      // Each takes other numbers for the same texts, so that stale fingerprints name what others have.
      for (let kill = 0; kill < KILLS; kill += 1) {
        const shift = random.between(0, lines.length - 1);
        const shifted = [...lines.slice(shift), ...lines.slice(0, shift)];
        // One is killed when it has written something, the others at any time.
        const isLast = kill === KILLS - 1;
        await uploadAndKill(scene, shifted, random.between(20, 600), () => !isLast || hasWritten());
      }
      assert(hasWritten(), 'the killed uploads had written something');

      await scene.reopen();
      assert.deepEqual(scene.read(PRODUCT), first);
      const again = ['first-3', ...lines, 'code-7'];
      assert.deepEqual(await scene.upload(PRODUCT, again), {
        firstItem: 1_000,
        added: LINES,
        duplicates: 2,
      });
      await scene.reopen();
      assert.deepEqual(scene.read(PRODUCT), [...first, ...lines]);
      assert.deepEqual(await scene.upload(PRODUCT, lines), {
        firstItem: 1_000 + LINES,
        added: 0,
        duplicates: LINES,
      });
    } finally {
      await scene.close();
    }
  });
});

test('a process that exits in the middle of an upload ends, with its own exit code', {
  timeout: KILLS * HANGS_AFTER_MS,
}, async () => {
  const random = randomFromEnvironment();
  console.log(`# PURSER_TEST_SEED=${random.seed}`);
  const scene = await StockScene.open();
  try {
    await scene.closeStore();
    for (let exit = 0; exit < KILLS; exit += 1) {
      const { hasEnded } = await startUpload(scene, numbered('code', LINES), random.between(50, 400));
      const [code] = await hasEnded;
      assert.equal(code, 3);
    }
  } finally {
    await scene.close();
  }
});
