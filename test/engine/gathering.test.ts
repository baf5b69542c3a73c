/** When a group waits for more: by how many usually wait together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gathering } from '../../src/engine/gathering.ts';

const MANY_COMMITS = 100;

const cases: [who: string, usually: number, now: number, waits: boolean][] = [
  ['nobody else', 1, 1, false],
  ['another one', 2, 1, true],
  ['all of them', 2, 2, false],
  ['a few of eight', 8, 3, true],
  ['all but one of eight', 8, 7, true],
  ['enough, though hundreds usually come', 256, 16, false],
  ['too few, while hundreds usually come', 256, 15, true],
];

for (const [who, usually, now, waits] of cases) {
  test(`of ${usually} who usually come, ${now} are here (${who}): ${waits ? 'waits' : 'is written'}`, () => {
    const gathering = new Gathering();
    for (let commit = 0; commit < MANY_COMMITS; commit += 1) gathering.landed(usually);
    assert.equal(gathering.isWorthWaiting(now), waits);
  });
}

test('a client that is left alone is soon no longer kept waiting', () => {
  const gathering = new Gathering();
  for (let commit = 0; commit < MANY_COMMITS; commit += 1) gathering.landed(16);
  let commits = 0;
  while (gathering.isWorthWaiting(1)) {
    gathering.landed(1);
    commits += 1;
  }
  assert.ok(commits < MANY_COMMITS, `${commits} commits`);
});

test('after a single crowd, too', () => {
  const gathering = new Gathering();
  gathering.landed(1_000);
  let commits = 0;
  for (; gathering.isWorthWaiting(1); commits += 1) gathering.landed(1);
  assert.ok(commits < 16, `${commits} commits`);
});

test('one that seldom has company is not kept waiting', () => {
  const gathering = new Gathering();
  for (let commit = 0; commit < MANY_COMMITS; commit += 1) gathering.landed(commit % 10 === 0 ? 2 : 1);
  assert.equal(gathering.isWorthWaiting(1), false);
});
