/** The latest alerts: newest first, and a flood of one class takes nothing of the other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALERT_KINDS, type Alert, type AlertError } from '../../src/alerts/alert.ts';
import { LatestAlerts } from '../../src/alerts/latest-alerts.ts';

test('the newest come first, of either class, and as many of each', () => {
  const latest = new LatestAlerts();
  const keep = (error: AlertError, at: number) =>
    latest.keep({ class: ALERT_KINDS[error].class, error, message: '', at } as Alert);
  const listed = () => latest.list().map(({ at }) => at);
  keep('DISK_LOW', 1);
  keep('RATE_LIMITED', 2);
  keep('DISK_FULL', 3);
  assert.deepEqual(listed(), [3, 2, 1]);
  for (let at = 4; at <= 1_000; at += 1) keep('RATE_LIMITED', at);
  assert.deepEqual(listed(), [...Array.from({ length: 50 }, (_, index) => 1_000 - index), 3, 1]);
});
