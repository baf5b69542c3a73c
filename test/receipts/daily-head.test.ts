/** The signed head of a day: when it is made, who gets it, and that it is tried again until the backup has it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDailyHead, type SignedHead } from '../../src/receipts/daily-head.ts';
import { eventually } from '../support/eventually.ts';
import { createTemporaryFolder } from '../support/temporary-folder.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);

test('one a day, the first after an hour; it is told once, and tried again until the backup has it', async (context) => {
  const folder = await createTemporaryFolder('heads');
  context.after(folder.remove);
  let nowMs = START_MS;
  let target: 'takes it' | 'is behind' | 'fails' | 'hangs' = 'takes it';
  let tries = 0;
  const told: number[] = [];
  const shipped: number[] = [];
  const hours = () => (nowMs - START_MS) / HOUR_MS;
  const job = openDailyHead({
    dataDir: folder.path,
    clock: () => nowMs,
    sign: () => signed(nowMs),
    tell: () => told.push(hours()),
    ship: async () => {
      tries += 1;
      if (target === 'fails') throw new Error('the target is gone');
      if (target === 'hangs') return new Promise(() => undefined);
      if (target === 'takes it') shipped.push(hours());
      return target === 'takes it';
    },
    onTrouble: () => undefined,
    againMs: 1,
  });
  const lookAt = (hour: number) => {
    nowMs = START_MS + hour * HOUR_MS;
    job.look();
  };
  const ended = () => eventually('it is made', () => !job.isRunning);
  const tried = async () => {
    const before = tries;
    await eventually('it is tried again', () => tries > before + 1);
  };
  for (const hour of [0, 0.9, 1, 2, 24.9]) {
    lookAt(hour);
    await ended();
  }
  assert.deepEqual([told, shipped], [[1], [1]]);
  target = 'is behind';
  lookAt(25);
  await tried();
  target = 'fails';
  lookAt(30);
  await tried();
  target = 'takes it';
  await ended();
  assert.deepEqual(
    [told, shipped],
    [
      [1, 25],
      [1, 30],
    ],
  );
  target = 'is behind';
  lookAt(49);
  await tried();
  nowMs = START_MS + 73 * HOUR_MS;
  await ended();
  assert.match(job.last?.error ?? '', /for a day/);
  target = 'hangs';
  lookAt(73);
  assert.deepEqual(told, [1, 25, 49, 73], 'also while the backup is away');
  await job.stop();
});

function signed(at: number): SignedHead {
  return { claims: { shop: 'a shop', epoch: 1, position: { seq: 1, hash: 'ab' }, at }, text: 'a JWS' };
}
