/**
 * kill -9 while old facts are moved to an archive, under load, again and again on one data folder: what was acknowledged
 * is there, once; the folder is sound as the kill left it, and with the archive from the first fact on; and the next
 * archive goes on.
 *
 * A kill comes at a random moment, or when the step has begun that is hit least: between the baseline's file and the fact,
 * and amid the removal of files.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { roundsOr } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';
import {
  archiveNow,
  baselinesIn,
  expectSound,
  journalFiles,
  strayLocks,
} from '../restore/archive/archived-shop.ts';
import { killAgainAndAgain } from './kill-minus-nine.ts';
import type { ServerUnderTest } from './server-under-test.ts';

const ROUNDS = roundsOr(9);
/** Several times what a complete archive takes here. */
const MOST_MS = 30_000;

test(`what was acknowledged survives ${ROUNDS} kills amid archives`, {
  timeout: 240_000 + ROUNDS * 60_000,
}, async (t) => {
  const folder = await createTemporaryFolder('kill-archive');
  t.after(() => folder.remove());
  const target = join(folder.path, 'archive');

  const amid = async ({ operator }: ServerUnderTest, dataDir: string, round: number) => {
    const [baselines, [first]] = [new Set(baselinesIn(dataDir)), journalFiles(dataDir)];
    const begun = await operator.json('POST', '/archives', { before: Date.now(), target });
    assert.equal(begun.status, 202, begun.text);
    const isBaselineMade = () => baselinesIn(dataDir).some((name) => !baselines.has(name));
    const isRemoving = () => journalFiles(dataDir)[0] !== first;
    if (round % 3 === 0) return delay(Math.random() * 3_000);
    const isTime = round % 3 === 1 ? isBaselineMade : isRemoving;
    const endMs = performance.now() + MOST_MS;
    while (!isTime() && performance.now() < endMs) await delay(1);
  };
  const prove = async (dataDir: string) => {
    await expectSound(dataDir);
    // Nothing may have been moved yet.
    if (journalFiles(dataDir)[0] !== 1) await expectSound(dataDir, target);
  };
  const finish = async (server: ServerUnderTest, dataDir: string) => {
    const { state, error } = await archiveNow(server, target);
    assert.equal(state, 'complete', error);
    assert.deepEqual([journalFiles(dataDir).length, baselinesIn(dataDir).length], [1, 1]);
    assert.deepEqual(strayLocks(dataDir), []);
  };
  const rounds = Array.from({ length: ROUNDS }, () => 'small files' as const);
  await killAgainAndAgain(t, { rounds, maxPurchases: 1_000, withinMs: 30, amid, prove, finish });
});
