/** Whose look-ups took long lately. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlowAskers } from '../../src/outgoing/slow-askers.ts';

test('who was slow counts as slow for ten minutes after the last time', () => {
  let nowMs = 0;
  const askers = new SlowAskers(() => nowMs);
  askers.add('a');
  assert.equal(askers.has('b'), false);
  nowMs = 400_000;
  askers.add('a');
  nowMs = 999_999;
  assert.equal(askers.has('a'), true);
  nowMs = 1_000_000;
  assert.equal(askers.has('a'), false);
});

test('of too many, those who were slow longest ago are forgotten', () => {
  const askers = new SlowAskers(() => 0);
  const names = Array.from({ length: 8_193 }, (_, index) => `${index}`);
  for (const name of names) askers.add(name);
  assert.deepEqual(
    names.filter((name) => !askers.has(name)),
    ['0'],
  );
});
