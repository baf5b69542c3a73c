/** A key with an outcome is never taken for a new one, or a retry would buy twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyFilter, keyHash } from '../../src/engine/key-filter.ts';

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

test('a key that was added is never said to be new, across layers', () => {
  const filter = new KeyFilter();
  // The first layer is full, and the second has a share of them.
  const hashes = Float64Array.from({ length: 600_000 }, (_, index) => keyHash(index % 1_000, `key-${index}`));
  for (const hash of hashes) filter.add(hash);
  assert.equal(
    hashes.findIndex((hash) => !filter.mayHave(hash)),
    -1,
  );
  let looked = 0;
  for (let index = 0; index < 20_000; index += 1) {
    if (filter.mayHave(keyHash(index % 1_000, `new-${index}`))) looked += 1;
  }
  assert.ok(looked < 200, `${looked} of 20,000 new keys are looked for in vain`);
});
