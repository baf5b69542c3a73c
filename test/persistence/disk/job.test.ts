/** A job: when it is due and overdue, by clocks right and wrong and over starts, and what is kept of its runs. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Job, type JobOptions } from '../../../src/persistence/disk/job.ts';
import { eventually } from '../../support/eventually.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

const DAY_MS = 86_400_000;
const START_MS = Date.UTC(2026, 0, 1);

interface Found {
  readonly run: number;
}

class Scene {
  /** In days from the beginning. */
  day = 0;
  runs = 0;
  readonly file: string;
  /** The next run's. */
  run: JobOptions<Found>['run'] = async () => ({ run: this.runs });
  job!: Job<Found>;
  readonly #more: Partial<JobOptions<Found>>;

  constructor(folder: string, more: Partial<JobOptions<Found>>) {
    this.file = join(folder, 'last-run');
    this.#more = more;
  }

  static async begin(context: TestContext, more: Partial<JobOptions<Found>> = {}): Promise<Scene> {
    const folder = await createTemporaryFolder('job');
    const scene = new Scene(folder.path, more);
    scene.open();
    context.after(() => scene.job.stop().then(folder.remove));
    return scene;
  }

  open(more = this.#more): void {
    this.job = new Job({
      file: this.file,
      intervalMs: DAY_MS,
      clock: () => START_MS + this.day * DAY_MS,
      run: (signal, onWait) => {
        this.runs += 1;
        return this.run(signal, onWait);
      },
      nothing: { run: 0 },
      onTrouble: (error) => assert.fail(error as Error),
      ...more,
    });
    this.job.start();
  }

  async restart(): Promise<void> {
    await this.job.stop();
    this.open();
  }

  async ended(): Promise<void> {
    await eventually('the run ends', () => !this.job.isRunning);
  }
}

/** A run that goes on until it is broken off. */
const ENDLESS: JobOptions<Found>['run'] = (signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', reject));

/** A moment: the clock's day, whether the node has started again, and then the runs that there were and what is said. */
type Moment = readonly [day: number, starts: '' | 'start', runs: number, ageDays: number, isOverdue: boolean];

const RULES: Readonly<Record<string, { readonly more?: Partial<JobOptions<Found>>; moments: Moment[] }>> = {
  'an interval after it was first seen, and after each run, over starts': {
    moments: [
      [0.9, '', 0, 0.9, false],
      [0.95, 'start', 0, 0.95, false],
      [1, '', 1, 0, false],
      [1.9, 'start', 1, 0.9, false],
      [2, 'start', 2, 0, false],
      [9, '', 3, 0, false],
    ],
  },
  'sooner for the first': {
    more: { firstAfterMs: DAY_MS / 4 },
    moments: [
      [0.2, '', 0, 0.95, false],
      [0.25, 'start', 1, 0, false],
      [1.2, '', 1, 0.95, false],
      [1.25, '', 2, 0, false],
    ],
  },
  'at once after a clock that was ahead at the last run, and once': {
    moments: [
      [400, '', 1, 0, false],
      [1, '', 2, 0, false],
      [1.9, '', 2, 0.9, false],
      [2, 'start', 3, 0, false],
    ],
  },
  'at once after a clock that was ahead when it was first seen': {
    moments: [
      [-400, '', 1, 0, false],
      [-399, 'start', 2, 0, false],
    ],
  },
  'not because a clock is set back by a moment': {
    moments: [
      [1, '', 1, 0, false],
      [1 - 1 / 1_440, '', 1, 0, false],
      [1.99, 'start', 1, 0.99, false],
      [2, '', 2, 0, false],
    ],
  },
  'never where nobody asks': {
    more: { intervalMs: null },
    moments: [[400, '', 0, 400, false]],
  },
};

for (const [what, { more, moments }] of Object.entries(RULES)) {
  test(`it is due ${what}`, async (context) => {
    const scene = await Scene.begin(context, more);
    for (const [day, starts, ...expected] of moments) {
      scene.day = day;
      if (starts === 'start') await scene.restart();
      scene.job.look();
      await scene.ended();
      const { ageMs, isOverdue } = scene.job;
      const ageDays = Math.round((ageMs / DAY_MS) * 1_000) / 1_000;
      assert.deepEqual([scene.runs, ageDays, isOverdue], expected, `day ${day}`);
    }
  });
}

test('it is overdue after two intervals without a result, also by a clock that was ahead', async (context) => {
  const scene = await Scene.begin(context);
  const overdueAt = (day: number) => {
    scene.day = day;
    return scene.job.isOverdue;
  };
  scene.run = ENDLESS;
  scene.day = 1;
  scene.job.look();
  assert.deepEqual([overdueAt(2), overdueAt(2.01)], [false, true]);
  await scene.restart();
  assert.ok(scene.job.isOverdue, 'a start does not put it off');
  scene.day = -400;
  scene.job.look();
  assert.deepEqual([overdueAt(-399), overdueAt(-398.9)], [false, true]);
  await scene.restart();
  assert.ok(scene.job.isOverdue, 'a start does not put it off either');
});

test('one runs at a time; what came of it is kept, a failure too, and not that it was broken off', async (context) => {
  const kept: unknown[] = [];
  const causes: unknown[] = [];
  const onResult = (result: unknown, cause: unknown) => {
    kept.push(result);
    causes.push(cause);
  };
  const scene = await Scene.begin(context, { onResult });
  let end: (found: Found) => void = () => {};
  scene.run = (_, onWait) => {
    onWait('waits for the target');
    return new Promise((resolve) => {
      end = resolve;
    });
  };
  assert.deepEqual([scene.job.last, scene.job.begin(), scene.job.begin()], [null, true, false]);
  assert.deepEqual([scene.runs, scene.job.waitsFor], [1, 'waits for the target']);
  scene.day = 0.5;
  end({ run: 1 });
  await scene.ended();
  const first = { ok: true, at: START_MS + DAY_MS / 2, run: 1 };
  assert.deepEqual([scene.job.last, scene.job.waitsFor], [first, null]);
  await scene.restart();
  assert.deepEqual(scene.job.last, first);
  const spoilt = new Error('it is spoilt');
  scene.run = async () => {
    throw spoilt;
  };
  scene.day = 1;
  // An interval after the last one began.
  scene.job.look();
  await scene.ended();
  const failed = { ok: false, at: START_MS + DAY_MS, run: 0, error: 'it is spoilt' };
  assert.deepEqual([scene.job.last, kept], [failed, [first, failed]]);
  assert.deepEqual([causes.length, causes[1] === spoilt], [2, true]);
  scene.run = ENDLESS;
  scene.job.begin();
  await scene.restart();
  assert.deepEqual([scene.job.last, kept.length], [failed, 2]);
  await scene.job.stop();
  assert.equal(scene.job.begin(), false);
});

test('it is looked by itself whether one is due; a file that is not ours counts for nothing', async (context) => {
  const scene = await Scene.begin(context);
  await scene.job.stop();
  for (const text of ['{', '{"since":"now","last":null}', 'null']) {
    writeFileSync(scene.file, text);
    scene.open();
    assert.deepEqual([scene.job.last, scene.job.ageMs], [null, 0]);
    await scene.job.stop();
  }
  scene.day = 1;
  scene.open({ intervalMs: 5 });
  await eventually('one begins', () => scene.runs > 0);
});
