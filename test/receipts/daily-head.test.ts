/** The signed head of a day: when it is made, who gets it, and that it is tried again until the backup has it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DailyHead, HEAD_FILE, type SignedHead } from '../../src/receipts/daily-head.ts';
import { eventually } from '../support/eventually.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);

class Scene {
  readonly told: number[] = [];
  readonly shipped: number[] = [];
  /** The treatment of the next head by the target. */
  target: 'takes it' | 'is behind' | 'fails' = 'takes it';
  nowMs: number;
  looks = 0;
  readonly head: DailyHead;

  constructor(dataDir: string, nowMs = START_MS) {
    this.nowMs = nowMs;
    this.head = new DailyHead({
      dataDir,
      clock: () => this.nowMs,
      sign: () => signed(this.nowMs),
      tell: ({ claims }) => this.told.push(claims.at),
      ship: async ({ claims }) => {
        this.looks += 1;
        if (this.target === 'fails') throw new Error('the target is gone');
        if (this.target === 'takes it') this.shipped.push(claims.at);
        return this.target === 'takes it';
      },
      onTrouble: () => undefined,
      lookMs: 5,
    });
  }

  async lookAt(hours: number): Promise<void> {
    this.nowMs = START_MS + hours * HOUR_MS;
    this.head.look();
    await this.head.stop();
  }

  /** In hours from the start. */
  seen(): readonly (readonly number[])[] {
    return [this.told, this.shipped].map((list) => list.map((at) => (at - START_MS) / HOUR_MS));
  }
}

function signed(at: number): SignedHead {
  return { claims: { shop: 'a shop', epoch: 1, position: { seq: 1, hash: 'ab' }, at }, text: 'a JWS' };
}

test('one a day, the first after an hour, over starts', async (context) => {
  const folder = await createTemporaryFolder('heads');
  context.after(folder.remove);
  const first = new Scene(folder.path);
  for (const hour of [0, 0.9, 1, 2, 24.9]) await first.lookAt(hour);
  assert.deepEqual(first.seen(), [[1], [1]]);
  const second = new Scene(folder.path, START_MS + 24.9 * HOUR_MS);
  for (const hour of [24.9, 25, 26]) await second.lookAt(hour);
  assert.deepEqual(second.seen(), [[25], [25]]);
});

test('one that the backup can’t take yet is told once, and tried again', async (context) => {
  const folder = await createTemporaryFolder('heads');
  context.after(folder.remove);
  const scene = new Scene(folder.path);
  scene.target = 'is behind';
  await scene.lookAt(1);
  scene.target = 'fails';
  await scene.lookAt(2);
  assert.deepEqual([scene.seen(), scene.looks], [[[1], []], 2]);
  scene.target = 'takes it';
  await scene.lookAt(3);
  await scene.lookAt(4);
  assert.deepEqual([scene.seen(), scene.looks], [[[1], [1]], 3]);
});

test('a file that says nothing sensible, or is of the future, does not keep it from being made', async (context) => {
  const folder = await createTemporaryFolder('heads');
  context.after(folder.remove);
  writeFileSync(join(folder.path, HEAD_FILE), '{');
  const scene = new Scene(folder.path);
  await scene.lookAt(1);
  assert.deepEqual(scene.seen()[0], [1]);
  const earlier = new Scene(folder.path);
  await earlier.lookAt(-12);
  assert.deepEqual(earlier.seen()[0], [-12]);
  const started = new Scene(folder.path, START_MS + 24 * HOUR_MS);
  started.head.start();
  await eventually('it is looked for by itself', () => started.told.length > 0);
  await started.head.stop();
});
