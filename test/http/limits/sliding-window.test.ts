/** The window that all limits are made of: exact against a naive list of times, and bounded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUNDING_MS, retryAfterSeconds, SlidingWindow } from '../../../src/http/limits/sliding-window.ts';
import { WindowTable } from '../../../src/http/limits/window-table.ts';
import { randomFromEnvironment } from '../../support/random.ts';

const LENGTH_MS = 60_000;

/** Events of one millisecond leave together with the last of them. */
const SHARED_MS = 1;

test('random traffic is never admitted beyond the limit, and never refused without need', (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  for (let round = 0; round < 20; round += 1) {
    const limit = random.pick([1, 2, 7, 120, 1_000]);
    const window = new SlidingWindow(LENGTH_MS);
    let times: number[] = [];
    let nowMs = random.between(0, 1_000_000);
    for (let step = 0; step < 2_000; step += 1) {
      nowMs += random.chance(0.3) ? 0 : random.next() * random.pick([0.4, 5, 200, (2 * LENGTH_MS) / limit]);
      times = times.filter((time) => nowMs - time < LENGTH_MS + SHARED_MS);
      const held = times.filter((time) => nowMs - time < LENGTH_MS - ROUNDING_MS).length;
      const waitMs = window.waitMs(limit, nowMs);
      assert.ok(window.count(nowMs) >= held && window.count(nowMs) <= times.length);
      if (waitMs > 0) {
        assert.ok(times.length >= limit, 'refused though there was room');
        assert.ok(waitMs <= LENGTH_MS);
        if (random.chance(0.2)) {
          nowMs += retryAfterSeconds(waitMs, LENGTH_MS) * 1_000;
          assert.equal(window.waitMs(limit, nowMs), 0, 'waiting as long as it said did not help');
        }
      } else {
        assert.ok(held < limit, 'admitted beyond the limit');
        window.add(nowMs);
        times.push(nowMs);
      }
    }
  }
});

test('a table of many stays bounded, and forgets those first that were idle longest', () => {
  const table = tableOf(1_000);
  for (let client = 0; client < 100_000; client += 1) {
    table.open(`client ${client}`, client / 100).add(client / 100);
    table.open('busy', client / 100).add(client / 100);
    assert.ok(table.size <= 1_000, `${table.size} windows`);
  }
  assert.equal(table.find('client 0'), undefined);
  assert.equal(table.find('client 99999')?.count(1_000), 1);
  assert.equal(table.find('busy')?.count(1_000), 100_000);
});

function tableOf(maxWindows: number): WindowTable<string> {
  return new WindowTable({ open: () => new SlidingWindow(LENGTH_MS), windowMs: LENGTH_MS, maxWindows });
}
