/** The latest alerts: newest first, and as many of each class, whatever the other does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALERT_KINDS, type Alert, type AlertError } from '../../src/alerts/alert.ts';
import { LatestAlerts } from '../../src/alerts/latest-alerts.ts';

function alert(error: AlertError, at: number): Alert {
  return { class: ALERT_KINDS[error].class, error, message: `${at}`, at } as Alert;
}

test('the newest come first, of either class', () => {
  const latest = new LatestAlerts();
  assert.deepEqual(latest.list(), []);
  for (const [error, at] of [
    ['DISK_LOW', 1],
    ['RATE_LIMITED', 2],
    ['DISK_FULL', 3],
    ['BAD_REQUEST', 3],
  ] as const) {
    latest.keep(alert(error, at));
  }
  assert.deepEqual(
    latest.list().map(({ at }) => at),
    [3, 3, 2, 1],
  );
});

test('a flood of one class takes nothing of the other', () => {
  const latest = new LatestAlerts();
  latest.keep(alert('DISK_FULL', 7));
  for (let at = 1; at <= 10_123; at += 1) latest.keep(alert('RATE_LIMITED', at));
  const listed = latest.list();
  assert.equal(listed.length, 51);
  assert.deepEqual(
    listed.map(({ at }) => at),
    [...Array.from({ length: 50 }, (_, index) => 10_123 - index), 7],
  );
});
