/** Alerts of states: one at the beginning, one at the end, and when an end counts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AlertMemory } from '../../src/alerts/alert-memory.ts';
import { NODE, StandingAlerts } from '../../src/alerts/standing-alerts.ts';

function underTest() {
  const scene = { nowMs: 1_000, told: [] as string[] };
  const standing = new StandingAlerts({
    clock: () => scene.nowMs,
    tell: ({ state, message, at }) => scene.told.push(`${at} ${state} ${message}`),
  });
  const say = (message: string) => () => ({ message, fields: { supplierId: 1 } });
  return { scene, standing, say };
}

test('it is told when it begins and when it is over, once each, for each id by itself; or repeated on purpose', () => {
  const { scene, standing, say } = underTest();
  assert.equal(standing.end('SUPPLIER_CIRCUIT_OPEN', 1, say('never was')), false);
  assert.equal(standing.begin('SUPPLIER_CIRCUIT_OPEN', 1, say('one')), true);
  assert.equal(standing.begin('SUPPLIER_CIRCUIT_OPEN', 1, say('one again')), false);
  assert.equal(standing.begin('SUPPLIER_CIRCUIT_OPEN', 2, say('two')), true);
  assert.deepEqual(standing.firing('SUPPLIER_CIRCUIT_OPEN'), [1, 2]);
  scene.nowMs = 2_000;
  assert.equal(standing.end('SUPPLIER_CIRCUIT_OPEN', 1, say('one is over')), true);
  assert.equal(standing.end('SUPPLIER_CIRCUIT_OPEN', 1, say('and stays so')), false);
  standing.repeat('SUPPLIER_CIRCUIT_OPEN', 2, say('two, more'));
  assert.deepEqual(scene.told, [
    '1000 firing one',
    '1000 firing two',
    '2000 resolved one is over',
    '2000 firing two, more',
  ]);
});

test('what goes on is listed as it was found last, with when it began, and products come last', () => {
  const { scene, standing } = underTest();
  const low = (left: number) => () => ({
    message: `${left} left`,
    fields: { productId: 7, availableStock: left, lowStock: 9, hoursOfCover: null },
  });
  const full = () => ({ message: 'full', fields: { freeBytes: 0, totalBytes: 9 } });
  standing.begin('STOCK_LOW', 7, low(5));
  scene.nowMs = 2_000;
  standing.begin('DISK_FULL', NODE, full);
  standing.begin('STOCK_LOW', 7, low(4));
  const operations = { class: 'operations' } as const;
  const isFull = { ...operations, error: 'DISK_FULL', message: 'full', since: 2_000, ...full().fields };
  const isLow = { ...operations, error: 'STOCK_LOW', message: '4 left', since: 1_000, ...low(4)().fields };
  assert.deepEqual(standing.list(10), [isFull, isLow]);
  assert.deepEqual(standing.list(1), [isFull]);
  assert.equal(standing.total, 2);
  standing.end('DISK_FULL', NODE, full);
  assert.deepEqual(standing.list(10), [isLow]);
});

const low = (productId: number, left: number) => () => ({
  message: `${productId}: ${left}`,
  fields: { productId, availableStock: left, lowStock: 9, hoursOfCover: null },
});

test('of many products all count at once, and are told in turn: the most pressing, and who has waited longest', () => {
  const { scene, standing } = underTest();
  for (let id = 1; id <= 500; id += 1)
    standing.begin('STOCK_LOW', id, low(id, id > 495 ? 0 : 8), id > 495 ? 0 : 8);
  assert.deepEqual([standing.total, standing.list(1_000).length, scene.told.length], [500, 500, 0]);
  standing.tellNext(10);
  const told = () => scene.told.splice(0).map((line) => Number(/(\d+):/.exec(line)?.[1]));
  assert.deepEqual(told(), [496, 497, 498, 499, 500, 1, 2, 3, 4, 5]);
  // These ten flap at each look, and keep no other from being told.
  const seen = new Set<number>();
  for (let look = 0; look < 200; look += 1) {
    for (let id = 491; id <= 500; id += 1) {
      if (standing.isFiring('STOCK_LOW', id)) standing.end('STOCK_LOW', id, low(id, 9));
      else standing.begin('STOCK_LOW', id, low(id, 0), 0);
    }
    standing.tellNext(10);
    for (const id of told()) seen.add(id);
  }
  assert.equal(seen.size, 495, 'all that had not been told');
  standing.end('STOCK_LOW', 1, low(1, 20));
  standing.begin('STOCK_LOW', 1, low(1, 8), 8);
  standing.tellNext(1_000);
  assert.ok(!told().includes(1), 'it is as it was told');
});

test('what was told before a start is told again, or is over, and counts once it is found', () => {
  const before = underTest();
  const full = () => ({ message: 'full', fields: { freeBytes: 0, totalBytes: 9 } });
  before.standing.begin('DISK_FULL', NODE, full);
  before.standing.begin('DISK_LOW', NODE, full);
  before.standing.begin('BACKUP_BEHIND', NODE, () => ({ message: 'behind', fields: { behindMs: 7 } }));
  for (const id of [1, 2]) before.standing.begin('STOCK_LOW', id, low(id, 1));
  before.standing.tellNext(10);
  const text = JSON.stringify([...before.standing.told()]);
  const { scene, standing } = underTest();
  const memory = new AlertMemory({
    standing,
    text,
    isShared: false,
    onUnknown: () => assert.fail('it is known'),
    fileOf: () => ({ keep: async () => undefined }),
    onTrouble: (error) => assert.fail(String(error)),
  });
  scene.nowMs = 5_000;
  assert.equal(standing.total, 0);
  standing.begin('DISK_FULL', NODE, full);
  standing.end('DISK_LOW', NODE, () => ({ ...full(), message: 'room' }));
  standing.begin('STOCK_LOW', 1, low(1, 1));
  standing.end('STOCK_LOW', 2, low(2, 30));
  standing.tellNext(10);
  const messages = ['firing full', 'resolved room', 'firing 1: 1', 'resolved 2: 30'];
  assert.deepEqual(
    scene.told.splice(0),
    messages.map((message) => `5000 ${message}`),
  );
  assert.deepEqual([standing.total, standing.list(1)[0]?.since], [2, 1_000]);
  for (let look = 0; look < 30; look += 1) void memory.looked();
  assert.deepEqual(scene.told, ['5000 resolved It has not been found since the node started.']);
  assert.equal(standing.total, 2);
});
