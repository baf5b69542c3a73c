/** When drills are due, what is remembered of the last one, and when they are overdue; without a backup and a clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DrillOutcome, type DrillResult, Drills } from '../../../../src/restore/drill/drills.ts';
import { eventually } from '../../../support/eventually.ts';
import { createTemporaryFolder } from '../../../support/temporary-folder.ts';

const POSITION = { seq: 7, hash: 'ab'.repeat(32) };
const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);

/** A node's drills in this folder, with a clock that stands still. */
class Scene {
  nowMs: number;
  /** What the next drill comes to; undefined: it goes on until the node stops. */
  outcome: DrillOutcome | Error | undefined = { position: POSITION, error: null };
  readonly results: DrillResult[] = [];
  readonly drills: Drills;

  constructor(dataDir: string, { nowMs = START_MS, intervalMs = DAY_MS as number | null } = {}) {
    this.nowMs = nowMs;
    this.drills = new Drills({
      dataDir,
      intervalMs,
      clock: () => this.nowMs,
      run: (signal) => this.#run(signal),
      onResult: (result) => this.results.push(result),
      onTrouble: (error) => assert.fail(error as Error),
    });
    this.drills.start();
  }

  async once(): Promise<void> {
    this.drills.begin();
    await eventually('a drill ends', () => !this.drills.isRunning);
  }

  async #run(signal: AbortSignal): Promise<DrillOutcome> {
    if (this.outcome instanceof Error) throw this.outcome;
    if (this.outcome !== undefined) return this.outcome;
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  }
}

test('the last one is remembered over a start, with why it failed; a stop ends one without a result', async (context) => {
  const folder = await createTemporaryFolder('drills');
  context.after(folder.remove);
  const first = new Scene(folder.path);
  await first.once();
  const passed = { ok: true, at: START_MS, position: POSITION };
  first.nowMs += DAY_MS;
  first.outcome = { position: null, error: 'the backup is spoilt' };
  await first.once();
  const failed = { ok: false, at: START_MS + DAY_MS, position: null, error: 'the backup is spoilt' };
  first.outcome = undefined;
  first.drills.begin();
  first.drills.begin();
  assert.ok(first.drills.isRunning);
  await first.drills.stop();
  assert.deepEqual(first.results, [passed, failed]);
  const second = new Scene(folder.path);
  assert.deepEqual(second.drills.last, failed);
  second.outcome = new Error('a fault of the program');
  await second.once();
  assert.equal(second.drills.last?.error, 'a fault of the program');
  await second.drills.stop();
});

test('one is due an interval after the last, or after drills began here, and overdue after two', async (context) => {
  const folder = await createTemporaryFolder('drills');
  context.after(folder.remove);
  const first = new Scene(folder.path);
  await first.drills.stop();
  const second = new Scene(folder.path, { nowMs: START_MS + DAY_MS });
  assert.equal(second.drills.ageMs, DAY_MS, 'a start does not put it off');
  second.nowMs = START_MS + 2 * DAY_MS;
  assert.ok(!second.drills.isOverdue);
  second.nowMs += 1;
  assert.ok(second.drills.isOverdue);
  await second.once();
  assert.ok(!second.drills.isOverdue);
  assert.equal(second.drills.ageMs, 0);
  await second.drills.stop();
  const soon = new Scene(folder.path, { nowMs: START_MS + 10 * DAY_MS, intervalMs: 20 });
  await eventually('one that is due begins by itself', () => soon.results.length > 0);
  await soon.drills.stop();
  const never = new Scene(folder.path, { nowMs: START_MS + 100 * DAY_MS, intervalMs: null });
  assert.ok(!never.drills.isOverdue);
  await never.drills.stop();
});
