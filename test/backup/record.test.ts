/** A record is proved only as it was written, under its name, by its shop: any bit that flips is found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeRecord, openRecord, readRecord, recordKeyOf, shopSaidBy } from '../../src/backup/record.ts';
import { BACKUP_FORMAT, type Run, runName } from '../../src/backup/target-layout.ts';

const run: Run = { format: BACKUP_FORMAT, shop: 'ours', epoch: 1, run: 2, fork: null, at: 1, nonce: 'a' };
const name = runName(run);
const key = recordKeyOf(Buffer.alloc(32, 1));
const bytes = encodeRecord(name, run, key);

test('only what was written is proved, under its name, for its shop', () => {
  assert.deepEqual(openRecord(name, bytes, key), run);
  const wrong: Record<string, [name: string, bytes: Buffer, key: typeof key]> = {
    'under another name': [runName({ epoch: 1, run: 3 }), bytes, key],
    'with the key of another shop': [name, bytes, recordKeyOf(Buffer.alloc(32, 2))],
    'without its tag': [name, bytes.subarray(0, -65), key],
    'with one byte more': [name, Buffer.concat([bytes, Buffer.from('\n')]), key],
    empty: [name, Buffer.alloc(0), key],
  };
  for (const [what, given] of Object.entries(wrong)) assert.equal(openRecord(...given), undefined, what);
});

test('with any bit flipped, or cut short anywhere, it proves nothing', () => {
  for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
    const flipped = Buffer.from(bytes);
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(openRecord(name, flipped, key), undefined, `bit ${bit}`);
    assert.equal(openRecord(name, bytes.subarray(0, bit >> 3), key), undefined, `${bit >> 3} bytes`);
  }
});

test('a wrong reading is made up for by the next', async () => {
  const readings = [Buffer.from('half'), bytes];
  assert.deepEqual(await readRecord(name, key, async () => readings.shift()), run);
  assert.equal(await readRecord(name, key, async () => undefined), undefined);
});

test('what is not proved may say whose it is', () => {
  assert.equal(shopSaidBy(bytes), 'ours');
  for (const text of ['', '{"format":', 'null', '{"shop":7}']) {
    assert.equal(shopSaidBy(Buffer.from(text)), undefined);
  }
});
