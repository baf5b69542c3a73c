/** How late the continuous backup says that it is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShippingState } from '../../src/backup/shipping/shipping-state.ts';

/** Events by second, and the lag in seconds then. */
const CASES: Record<string, readonly (readonly [second: number, what: string, lagSeconds: number])[]> = {
  'before anything is known, since the start': [[3, '', 3]],
  'something new waits since it came': [
    [1, 'shipped 10', 0],
    [49, '', 0],
    [50, 'durable 11', 0],
    [52, '', 2],
    [53, 'shipped 11', 0],
  ],
  'a part has come: since the last fact that is there': [
    [1, 'shipped 10', 0],
    [50, 'durable 11', 0],
    [60, 'durable 20', 10],
    [61, 'shipped 15 at 58', 3],
    [62, 'shipped 20 at 60', 0],
  ],
  'the last fact that is there is of a clock that was ahead': [
    [1, 'shipped 5 at 900', 1],
    [60, '', 60],
    [61, 'shipped 10 at 900', 0],
  ],
  'all is lost: since that was seen': [
    [1, 'shipped 10', 0],
    [50, 'lost', 0],
    [52, 'shipped 0 at 0', 2],
    [60, '', 10],
    [61, 'shipped 10', 0],
  ],
  'what is there is less than before: since then': [
    [1, 'shipped 10', 0],
    [50, 'shipped 4 at 1', 0],
    [53, '', 3],
  ],
};

for (const [name, steps] of Object.entries(CASES)) {
  test(name, () => {
    let nowMs = 0;
    const state = new ShippingState('target', 10, () => nowMs);
    for (const [second, what, lagSeconds] of steps) {
      nowMs = second * 1_000;
      const [, verb, position = 0, at = second] = /^(\w+)(?: (\d+)(?: at (\d+))?)?$/.exec(what) ?? [];
      if (verb === 'lost') state.lost();
      if (verb === 'durable') state.advance(Number(position));
      if (verb === 'shipped') state.shipped({ seq: Number(position), hash: '' }, Number(at) * 1_000);
      assert.equal(state.lagMs / 1_000, lagSeconds, `${second} s: ${what}`);
    }
  });
}
