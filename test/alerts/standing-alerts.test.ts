/** Alerts of states: one at the beginning, one at the end, and when an end counts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
