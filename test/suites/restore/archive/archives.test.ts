/** When the daily archive is due, and what is remembered of it. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type ArchiveEnd, Archives } from '../../../../src/archive/archives.ts';
import { eventually } from '../../../support/eventually.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOTHING: ArchiveEnd = { baseline: null, facts: 0, bytes: 0 };

async function openScene(t: TestContext) {
  const folder = await createTemporaryFolder('daily-archives');
  t.after(() => folder.remove());
  const scene = {
    nowMs: 1_000 * DAY_MS,
    began: [] as number[],
    next: async (): Promise<ArchiveEnd> => NOTHING,
    open(): Archives {
      const archives = new Archives({
        dataDir: folder.path,
        daily: { target: '/mnt/old', afterMs: 400 * DAY_MS },
        clock: () => scene.nowMs,
        run: (_target, beforeMs) => {
          scene.began.push(beforeMs);
          return scene.next();
        },
        onEnd: () => {},
        onTrouble: (error) => assert.fail(error as Error),
        lookMs: 5,
      });
      archives.start();
      return archives;
    },
    /** So many have begun, and the last one has ended so. */
    until: (archives: Archives, count: number, isOk: boolean) =>
      eventually(`${count} have ended, the last one ${isOk}`, () => {
        return scene.began.length === count && !archives.isRunning && archives.last?.ok === isOk;
      }),
  };
  return scene;
}

test('a daily archive is due at once, a day after the last, and an hour after one that failed, or at a start', async (t) => {
  const scene = await openScene(t);
  let archives = scene.open();
  const since = scene.nowMs;
  await scene.until(archives, 1, true);
  assert.deepEqual(scene.began, [since - 400 * DAY_MS]);
  await archives.stop();
  // A start knows of it.
  scene.nowMs += 23 * HOUR_MS;
  archives = scene.open();
  assert.deepEqual([archives.last, archives.ageMs], [{ ok: true, at: since }, 23 * HOUR_MS]);
  scene.next = () => Promise.reject(new Error('the target is away'));
  scene.nowMs += HOUR_MS;
  await scene.until(archives, 2, false);
  assert.deepEqual([archives.last?.error, archives.isOverdue], ['the target is away', false]);
  await archives.stop();
  archives = scene.open();
  await scene.until(archives, 3, false);
  scene.next = async () => NOTHING;
  scene.nowMs += HOUR_MS;
  await scene.until(archives, 4, true);
  assert.equal(archives.ageMs, 0);
  scene.next = () => new Promise(() => {});
  scene.nowMs += 3 * DAY_MS;
  await eventually('another begins', () => scene.began.length === 5);
  assert.ok(archives.isOverdue && archives.isRunning);
});
