/** When the daily archive is due, what is remembered of it, and that one is under way at a time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ArchiveEnd, Archives, type ArchivesOptions } from '../../../../src/archive/archives.ts';
import { eventually } from '../../../support/eventually.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOTHING: ArchiveEnd = { baseline: null, facts: 0, bytes: 0 };

class Scene {
  nowMs = 1_000 * DAY_MS;
  readonly began: number[] = [];
  next: () => Promise<ArchiveEnd> = async () => NOTHING;
  readonly #dataDir: string;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
  }

  open(daily: ArchivesOptions['daily'] = { target: '/mnt/old', afterMs: 400 * DAY_MS }): Archives {
    const archives = new Archives({
      dataDir: this.#dataDir,
      daily,
      clock: () => this.nowMs,
      run: (_target, beforeMs) => {
        this.began.push(beforeMs);
        return this.next();
      },
      onEnd: () => {},
      onTrouble: (error) => assert.fail(error as Error),
      lookMs: 5,
    });
    archives.start();
    return archives;
  }

  async until(count: number): Promise<void> {
    await eventually(`${count} have begun`, () => this.began.length === count);
  }
}

test('a daily archive is due at once, a day after the last, and an hour after one that failed, or at a start', async () => {
  const folder = await createTemporaryFolder('daily-archives');
  const scene = new Scene(folder.path);
  let archives = scene.open();
  const since = scene.nowMs;
  await scene.until(1);
  await eventually('it has ended', () => archives.last?.ok === true);
  assert.deepEqual(scene.began, [since - 400 * DAY_MS]);
  await archives.stop();
  // A start knows of it.
  scene.nowMs += 23 * HOUR_MS;
  archives = scene.open();
  assert.deepEqual([archives.last, archives.ageMs], [{ ok: true, at: since }, 23 * HOUR_MS]);
  scene.next = () => Promise.reject(new Error('the target is away'));
  scene.nowMs += HOUR_MS;
  await scene.until(2);
  await eventually('it has failed', () => archives.last?.ok === false);
  assert.equal(archives.last?.error, 'the target is away');
  assert.equal(archives.isOverdue, false);
  // A start tries again at once: the operator may have mended it.
  await archives.stop();
  archives = scene.open();
  await scene.until(3);
  await eventually('it has failed again', () => !archives.isRunning);
  scene.next = async () => NOTHING;
  scene.nowMs += HOUR_MS;
  await scene.until(4);
  await eventually('it has succeeded', () => archives.last?.ok === true);
  assert.equal(archives.ageMs, 0);
  scene.next = () => new Promise(() => {});
  scene.nowMs += 3 * DAY_MS;
  await scene.until(5);
  assert.ok(archives.isOverdue && archives.isRunning);
  await folder.remove();
});

test('what a reader that is behind keeps here is told at once, and after two days the daily archive has failed', async () => {
  const folder = await createTemporaryFolder('held-archives');
  const scene = new Scene(folder.path);
  const why = 'facts behind 2 are old enough and stay here: the backup has come to fact 3 only';
  let ageMs = DAY_MS;
  scene.next = async () => ({
    ...NOTHING,
    held: { why, atMs: scene.nowMs - 400 * DAY_MS - ageMs },
  });
  const archives = scene.open();
  await scene.until(1);
  await eventually('it has ended', () => archives.last !== null);
  const since = scene.nowMs;
  assert.deepEqual(archives.last, { ok: true, at: since, held: why });
  assert.equal(archives.list[0]?.held, why);
  scene.nowMs += DAY_MS;
  ageMs = 2 * DAY_MS + 1;
  await scene.until(2);
  await eventually('it has failed', () => archives.last?.ok === false);
  assert.deepEqual(archives.last, { ok: false, at: scene.nowMs, error: why });
  assert.deepEqual([archives.list[0]?.state, archives.list[0]?.error], ['failed', why]);
  assert.equal(archives.ageMs, DAY_MS);
  // Whoever asked gets the answer: nothing has failed.
  archives.begin('/mnt/old', scene.nowMs);
  await eventually('it has ended', () => !archives.isRunning);
  assert.deepEqual([archives.list[0]?.state, archives.list[0]?.held], ['complete', why]);
  await archives.stop();
  await folder.remove();
});

test('without settings nothing is archived by itself, and what an operator begins says nothing of the daily one', async () => {
  const folder = await createTemporaryFolder('asked-archives');
  const scene = new Scene(folder.path);
  const asked = new Archives({
    dataDir: folder.path,
    daily: undefined,
    clock: () => scene.nowMs,
    run: () => Promise.reject(new Error('there is no such folder')),
    onEnd: () => {},
    onTrouble: () => {},
  });
  asked.start();
  const row = asked.begin('/mnt/old', 7);
  assert.equal(row.state, 'running');
  await eventually('it has failed', () => asked.list[0]?.state === 'failed');
  assert.equal(asked.list[0]?.error, 'there is no such folder');
  assert.deepEqual([asked.last, asked.isOverdue, asked.isRunning], [null, false, false]);
  await asked.stop();
  await folder.remove();
});
