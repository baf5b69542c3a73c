/** When heaps may grow further, and when no more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeapGrowth } from '../../src/suppliers/heap-growth.ts';

test('heaps grow further while 500 purchases wait, until fewer than 250 do, and not after a stop', () => {
  const flags: string[] = [];
  let waiting = 0;
  const growth = new HeapGrowth({ waiting: () => waiting, setFlag: (flag) => flags.push(flag) });
  const [wide, tight] = ['--heap-growing-percent=200', '--heap-growing-percent=50'];
  const steps: [waiting: number, flags: string[]][] = [
    [499, []],
    [500, [wide]],
    [2_000, [wide]],
    [250, [wide]],
    [249, [wide, tight]],
    [400, [wide, tight]],
    [501, [wide, tight, wide]],
  ];
  for (const [count, expected] of steps) {
    waiting = count;
    growth.look();
    assert.deepEqual(flags, expected, `${count} waiting`);
  }
  growth.stop();
  assert.deepEqual(flags, [wide, tight, wide, tight]);
});
