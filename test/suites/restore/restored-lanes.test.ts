/** Which webhook events have to be delivered after a restore, as the backup's lanes tell. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventNumber } from '../../../src/persistence/webhooks/event-row.ts';
import { RestoredLanes } from '../../../src/restore/restored-lanes.ts';

const at = (position: number, epoch = 1) => eventNumber(position, 'order.completed', epoch);

test('an account is told what it had not been told, and of the rest what had failed', () => {
  const lanes = new RestoredLanes();
  lanes.take([{ accountId: 1, firstOpen: at(10), pending: [at(3)] }]);
  assert.deepEqual(
    [2, 3, 9, 10, 11].map((position) => lanes.isOpen(1, at(position))),
    [false, true, false, true, true],
  );
  assert.equal(lanes.lowestOpen(1), at(3));
  lanes.take([{ accountId: 1, firstOpen: at(12), pending: [] }]);
  assert.deepEqual(
    [lanes.isOpen(1, at(3)), lanes.isOpen(1, at(11)), lanes.lowestOpen(1)],
    [false, false, at(12)],
  );
});

test('an account of which nothing is known is told all', () => {
  const lanes = new RestoredLanes();
  assert.ok(lanes.isOpen(2, at(1)));
  assert.equal(lanes.lowestOpen(2), 1);
});

test('what comes up behind a fork was told to nobody, and neither was a group that the fork closes', () => {
  const lanes = new RestoredLanes();
  lanes.take([{ accountId: 1, firstOpen: at(100), pending: [] }]);
  lanes.fork(50, 1);
  assert.ok(!lanes.isOpen(1, at(50)));
  assert.ok(lanes.isOpen(1, eventNumber(50, 'catalog.updated', 1)));
  assert.ok(lanes.isOpen(1, at(51)));
});

test('a fork of a later epoch forgets nothing of what was told in it', () => {
  const lanes = new RestoredLanes();
  lanes.take([{ accountId: 1, firstOpen: at(100, 2), pending: [at(30)] }]);
  lanes.fork(50, 2);
  assert.deepEqual(
    [at(29), at(30), at(31), at(49, 2), at(51, 2), at(51, 3)].map((number) => lanes.isOpen(1, number)),
    [false, true, false, false, true, true],
  );
});
