/** Which events are kept in memory until their first attempt: a lane's next ones, in their order, and few. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FreshEvents } from '../../../src/webhooks/outbox/scheduling/fresh-events.ts';
import { Lane } from '../../../src/webhooks/outbox/scheduling/lane.ts';
import { pendingEvent } from './pending-event.ts';
import { webhook } from './shop-facts.ts';

const LANES_THAT_FILL_IT = 2_048;

function laneOf(accountId: number, webhookConcurrency = 1): Lane {
  return new Lane(accountId, { webhook: webhook(), webhookConcurrency, heldMicros: 0 }, undefined, 0);
}

/** The positions of the events that were kept of those that came up. */
function kept(fresh: FreshEvents, lane: Lane, ...positions: number[]): number[] {
  for (const position of positions) fresh.add(lane, pendingEvent(lane.accountId, position));
  return lane.fresh.map(({ number }) => number / 8);
}

test('those of a lane that has nothing to be read, as many as it may soon attempt', () => {
  assert.deepEqual(kept(new FreshEvents(), laneOf(1), 1, 2, 3, 4, 5, 6), [1, 2, 3, 4]);
  assert.equal(kept(new FreshEvents(), laneOf(1, 2), 1, 2, 3, 4, 5, 6, 7, 8, 9).length, 8);
});

test('none behind one that is to be read: it comes first', () => {
  const fresh = new FreshEvents();
  const lane = laneOf(1);
  assert.deepEqual(kept(fresh, lane, 1, 2, 3, 4, 5), [1, 2, 3, 4]);
  for (let count = 0; count < 4; count += 1) lane.next = (fresh.take(lane)?.number ?? 0) + 1;
  assert.deepEqual(kept(fresh, lane, 6), [], '5 is still to be read');
  lane.next = 6 * 8 + 1;
  assert.deepEqual(kept(fresh, lane, 7), [7], 'both were read');
});

test('none of a lane that fails', () => {
  const lane = laneOf(1);
  lane.isFailing = true;
  assert.deepEqual(kept(new FreshEvents(), lane, 1), []);
});

test('so many in all, and whoever is dropped leaves room', () => {
  const fresh = new FreshEvents();
  const lanes = Array.from({ length: LANES_THAT_FILL_IT }, (_, index) => laneOf(index + 1));
  for (const lane of lanes) assert.equal(kept(fresh, lane, 1, 2, 3, 4).length, 4);
  assert.deepEqual(kept(fresh, laneOf(9_999), 1), []);
  const [first] = lanes;
  assert.ok(first);
  fresh.drop(first);
  assert.deepEqual(kept(fresh, laneOf(9_999), 1), [1]);
});
