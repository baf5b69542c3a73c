/** The checksum of rows is zlib's, whatever is summed here and whatever there: data folders hold it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { rowChecksum } from '../../../src/persistence/codec/row-checksum.ts';
import { randomFromEnvironment } from '../../support/random.ts';

const random = randomFromEnvironment();

function bytes(length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.between(0, 255)));
}

test(`rows of any length behind keys of any length (PURSER_TEST_SEED=${random.seed})`, () => {
  for (const keyBytes of [1, 8, 22, 63, 64, 65, 300]) {
    for (const payloadBytes of [0, 1, 6, 41, 42, 43, 1_000]) {
      const key = bytes(keyBytes);
      const row = bytes(payloadBytes + 4);
      const expected = crc32(Buffer.concat([key, row.subarray(0, payloadBytes)]));
      assert.equal(rowChecksum(key, row, payloadBytes), expected, `${payloadBytes} bytes apart`);
      const page = Buffer.concat([key, row]);
      const [inKey, inRow] = [page.subarray(0, keyBytes), page.subarray(keyBytes)];
      assert.equal(rowChecksum(inKey, inRow, payloadBytes), expected, `${payloadBytes} bytes in one page`);
    }
  }
});
