/** A process that is killed while it takes files in, again and again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { patternBytes } from '../support/pattern-bytes.ts';
import { randomFromEnvironment } from '../support/random.ts';
import { FileScene, listFiles, readBack } from './file-scene.ts';

const CHILD = join(import.meta.dirname, 'file-crash-child.js');
const KILLS = 6;
const SEEDS_PER_CHILD = 100_000;

/**
 * The seeds of the files that the child had stored, by their ids. The time begins with the child or, where
 * `hasStored`, with its first file: how soon that is on disk is the machine's affair.
 */
async function uploadAndKill(
  dataDir: string,
  firstSeed: number,
  { afterMs, hasStored }: { readonly afterMs: number; readonly hasStored: boolean },
): Promise<[string, number][]> {
  const child = spawn(process.execPath, [CHILD, dataDir, String(firstSeed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 60_000,
  });
  const ended = once(child, 'close');
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  do await once(child.stdout, 'data');
  while (hasStored && said.split('\n').length <= 2);
  await delay(afterMs);
  child.kill('SIGKILL');
  assert.equal((await ended)[1], 'SIGKILL');
  const lines = said.split('\n').slice(1, -1);
  return lines.map((line) => {
    const [fileId = '', seed] = line.split(' ');
    return [fileId, Number(seed)];
  });
}

test('what was said to be stored is there after kill -9, and nothing has a name that is not whole', async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`PURSER_TEST_SEED=${random.seed}`);
  await using scene = await FileScene.open();
  const stored = new Map<string, number>();
  let leftovers = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const when = { afterMs: random.between(20, 400), hasStored: kill % 2 === 0 };
    const said = await uploadAndKill(scene.dataDir, kill * SEEDS_PER_CHILD, when);
    for (const [fileId, seed] of said) stored.set(fileId, seed);
    leftovers += listFiles(scene.dataDir).filter((name) => name.startsWith('unfinished')).length;
  }
  assert.ok(stored.size > 0 && leftovers > 0, `${stored.size} files stored, ${leftovers} cut off`);
  await scene.reopen();
  for (const [fileId, seed] of stored) {
    const bytes = patternBytes(50_000 + (seed % 7) * 100_000, seed);
    assert.ok((await readBack(scene.store, fileId)).equals(bytes), `file ${fileId}, made from ${seed}`);
  }
  for (const name of scene.names()) await readBack(scene.store, name);
});
