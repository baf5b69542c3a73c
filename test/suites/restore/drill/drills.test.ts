/**
 * The times when drills are due, and when they are overdue, without a backup and a clock. The result of the last one is
 * tested in `node-drill.test.ts`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DrillResult, Drills } from '../../../../src/restore/drill/drills.ts';
import { eventually } from '../../../support/eventually.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

const DAY_MS = 86_400_000;

test('one is due an interval after the last, or after drills began here, and overdue after two', async (context) => {
  const folder = await createTemporaryFolder('drills');
  context.after(folder.remove);
  let nowMs = Date.UTC(2026, 0, 1);
  const results: DrillResult[] = [];
  const open = (intervalMs: number | null = DAY_MS) => {
    const drills = new Drills({
      dataDir: folder.path,
      intervalMs,
      clock: () => nowMs,
      run: async () => ({ position: { seq: 7, hash: 'ab'.repeat(32) }, error: null }),
      onResult: (result) => results.push(result),
      onTrouble: (error) => assert.fail(error as Error),
    });
    drills.start();
    return drills;
  };
  await open().stop();
  nowMs += DAY_MS;
  const second = open();
  assert.equal(second.ageMs, DAY_MS, 'a start does not put it off');
  nowMs += DAY_MS;
  assert.ok(!second.isOverdue);
  nowMs += 1;
  assert.ok(second.isOverdue);
  second.begin();
  await eventually('a drill ends', () => !second.isRunning);
  assert.deepEqual([second.isOverdue, second.ageMs, results.length], [false, 0, 1]);
  await second.stop();
  nowMs += 10 * DAY_MS;
  const soon = open(20);
  await eventually('one that is due begins by itself', () => results.length > 1);
  await soon.stop();
  nowMs -= 400 * DAY_MS;
  const count = results.length;
  const back = open(20);
  await eventually('the last one ended by a clock that was ahead', () => results.length > count);
  await back.stop();
  nowMs -= 400 * DAY_MS;
  const silent = open();
  assert.equal(silent.ageMs, 0);
  nowMs += 3 * DAY_MS;
  assert.ok(silent.isOverdue, 'it counts from when that was seen');
  await silent.stop();
  nowMs += 100 * DAY_MS;
  const never = open(null);
  assert.ok(!never.isOverdue);
  await never.stop();
});
