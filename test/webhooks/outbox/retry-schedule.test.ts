/** SPEC.md §6: immediately, then after 1 min, 5 min, 30 min, 6 h. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextAttemptAtMs } from '../../../src/webhooks/outbox/scheduling/retry-schedule.ts';

const MINUTE_MS = 60_000;
const waitsMs = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 360 * MINUTE_MS];

test('five attempts, each after the one before, span 6 h 36 min', () => {
  const attemptsAtMs: number[] = [];
  let atMs = nextAttemptAtMs(0, 1_000, waitsMs);
  while (atMs !== undefined) {
    attemptsAtMs.push(atMs);
    atMs = nextAttemptAtMs(attemptsAtMs.length, atMs, waitsMs);
  }
  const minutes = attemptsAtMs.map((attemptAtMs) => (attemptAtMs - 1_000) / MINUTE_MS);
  assert.deepEqual(minutes, [0, 1, 6, 36, 396]);
});

test('an attempt that came late moves the ones after it', () => {
  assert.equal(nextAttemptAtMs(1, 90_000, waitsMs), 90_000 + MINUTE_MS);
});

test('without waits there is one attempt', () => {
  assert.equal(nextAttemptAtMs(0, 5, []), 5);
  assert.equal(nextAttemptAtMs(1, 5, []), undefined);
});
