/** The table of recent keys: accounts may choose the same key, hashes may be equal, and a key has one outcome. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyHash } from '../../src/engine/key-filter.ts';
import { RecentKeys } from '../../src/engine/recent-keys.ts';

interface Asked {
  readonly accountId: number;
  readonly key: string;
}

/** A number refers to the request with that index. */
function keysOf(requests: readonly Asked[]): RecentKeys {
  return new RecentKeys((ref, accountId, key) => {
    const asked = requests[ref];
    return asked?.accountId === accountId && asked.key === key;
  });
}

test('generations of all sizes follow each other, in the same room', () => {
  const requests: Asked[] = [];
  const keys = keysOf(requests);
  let [older, current] = [new Set<number>(), new Set<number>()];
  for (const count of [0, 3, 9_000, 0, 1, 2, 2, 2, 5_000, 5_000, 0, 0, 700]) {
    for (let added = 0; added < count; added += 1) {
      const asked = { accountId: 1 + (added % 3), key: `key ${requests.length}` };
      current.add(requests.push(asked) - 1);
      keys.add(keyHash(asked.accountId, asked.key), asked.accountId, asked.key, requests.length - 1);
    }
    keys.dropOlder();
    keys.cut();
    [older, current] = [current, new Set<number>()];
    assert.equal(keys.size, older.size);
    for (const [ref, { accountId, key }] of requests.entries()) {
      assert.equal(keys.get(keyHash(accountId, key), accountId, key), older.has(ref) ? ref : undefined);
    }
  }
});

test('keys with equal hashes are told apart by account and text', () => {
  const requests = [
    { accountId: 1, key: 'a' },
    { accountId: 1, key: 'b' },
    { accountId: 2, key: 'a' },
  ];
  const keys = keysOf(requests);
  for (const [index, { accountId, key }] of requests.entries()) keys.add(7, accountId, key, index);
  for (const [index, { accountId, key }] of requests.entries())
    assert.equal(keys.get(7, accountId, key), index);
  assert.equal(keys.get(7, 2, 'b'), undefined);
});

test('a second outcome of a key is refused', () => {
  const keys = keysOf([{ accountId: 1, key: 'a' }]);
  keys.add(keyHash(1, 'a'), 1, 'a', 0);
  assert.throws(() => keys.add(keyHash(1, 'a'), 1, 'a', 1), /key a of account 1 has an outcome already/);
});
