/** The table of recent keys: accounts may choose the same key, and a key has one outcome. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyHash } from '../../src/engine/key-filter.ts';
import { RecentKeys } from '../../src/engine/recent-keys.ts';

test('each account has its own outcome of a key, through growth and two generations', () => {
  const keys = new RecentKeys<{ accountId: number; key: string }>();
  const outcomes = Array.from({ length: 10_000 }, (_, index) => ({
    accountId: 1 + (index % 3),
    key: `key ${Math.floor(index / 3)}`,
  }));
  for (const [index, outcome] of outcomes.entries()) {
    if (index === 6_000) keys.cut();
    keys.add(keyHash(outcome.accountId, outcome.key), outcome.key, outcome);
  }
  for (const outcome of outcomes) assert.equal(keys.get(outcome.accountId, outcome.key), outcome);
  assert.equal(keys.get(4, 'key 1'), undefined);
  keys.dropOlder();
  assert.equal(keys.size, 4_000);
  assert.equal(keys.get(1, 'key 0'), undefined);
});

test('a second outcome of a key is refused', () => {
  const keys = new RecentKeys<{ accountId: number }>();
  const hash = keyHash(1, 'a');
  keys.add(hash, 'a', { accountId: 1 });
  assert.throws(() => keys.add(hash, 'a', { accountId: 1 }), /key a of account 1 has an outcome already/);
});
