/** Fingerprints come out in the order of their rows, whatever run they were in. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { FingerprintSorter } from '../../../src/restore/fingerprint-sorter.ts';
import { randomFromEnvironment } from '../../support/random.ts';
import { createTemporaryFolder } from '../../support/temporary-folder.ts';

test('fingerprints of several runs come in their order, those of one text by who has it', async (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  const folder = await createTemporaryFolder('sorter');
  t.after(() => folder.remove());
  const texts = Array.from({ length: 300 }, () => randomBytes(10));
  const sorter = new FingerprintSorter(folder.path, 128);
  const expected: string[] = [];
  for (let count = 0; count < 1_000; count += 1) {
    const key = Buffer.alloc(14);
    key.writeUInt32BE(random.pick([1, 2, 3, 900_000, 2 ** 32 - 1]));
    random.pick(texts).copy(key, 4);
    // Half of them differ in their last bytes alone.
    if (random.chance(0.5)) key.fill(7, 4, 12);
    const hint = random.pick([count, 2 ** 40 + count]);
    sorter.add(key, hint);
    expected.push(`${key.toString('hex')} ${String(hint).padStart(16, '0')}`);
  }
  const found = Array.from(
    sorter.sorted(),
    ({ key, hint }) => `${key.toString('hex')} ${String(hint).padStart(16, '0')}`,
  );
  assert.deepEqual(found, expected.sort());
  sorter.close();
  assert.deepEqual(readdirSync(folder.path), []);
});
