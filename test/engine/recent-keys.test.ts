/** A key with an outcome is never taken for a new one, or a retry would buy twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyHash } from '../../src/engine/recent/key-hash.ts';
import { RecentKeys } from '../../src/engine/recent/recent-keys.ts';

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

test('the hash of a key is what data folders hold', () => {
  const cases: [accountId: number, key: string, hash: number][] = [
    [1, 'a', 7_746_512_527_396_101],
    [1, '', 8_671_833_596_962_832],
    [2, 'a', 8_675_773_040_628_682],
    [1_000_000, '3f0e8f4e-6f0c-4d0e-9a55-0c8b3c1f9d11', 2_532_644_181_807_258],
    [7, '~'.repeat(128), 3_967_600_632_995_123],
  ];
  for (const [accountId, key, hash] of cases)
    assert.equal(keyHash(accountId, key), hash, `${accountId} ${key}`);
});
