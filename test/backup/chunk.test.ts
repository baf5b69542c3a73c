/** A chunk comes back as it was written, and no byte of it can be changed unseen. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ChunkHead, encodeChunk, openChunk, readChunkHead } from '../../src/backup/chunk.ts';
import { ChunkBody, type ChunkEntry, readEntries } from '../../src/backup/chunk-entries.ts';
import { DamagedDataError } from '../../src/persistence/codec/byte-reader.ts';
import { RowCipher } from '../../src/persistence/keys/row-cipher.ts';
import { randomDataKeys } from '../support/data-keys.ts';

const HEAD: ChunkHead = {
  shop: 'a1b2c3',
  epoch: 2,
  series: 'log',
  number: 7,
  previous: 'ff'.repeat(32),
  from: { position: 10, hash: Buffer.alloc(32, 1) },
  to: { position: 12, hash: Buffer.alloc(32, 2) },
  lastAtMs: 1_800_000_000_000,
};
const ENTRIES: readonly ChunkEntry[] = [
  { kind: 'items', productId: 3, firstItem: 128, texts: Buffer.from('texts') },
  { kind: 'orderTexts', orderId: 2 ** 40, texts: Buffer.from('of an order') },
  { kind: 'file', fileId: 'ab'.repeat(16), offset: 2 ** 33, bytes: Buffer.alloc(300_000, 7) },
  { kind: 'queues', queues: [{ accountId: 1, firstOpen: 99, pending: [3, 5] }] },
  { kind: 'frame', frame: Buffer.from('a frame') },
];

const newCipher = () => new RowCipher(randomDataKeys());

function bodyOf(entries: readonly ChunkEntry[]): Buffer {
  const body = new ChunkBody();
  for (const entry of entries) body.add(entry);
  return Buffer.from(body.view());
}

describe('a chunk', () => {
  const cipher = newCipher();
  const bytes = encodeChunk(HEAD, bodyOf(ENTRIES), cipher);

  test('comes back whole', () => {
    const { head, body } = openChunk(bytes, cipher);
    assert.deepEqual(head, HEAD);
    assert.deepEqual([...readEntries(body)], ENTRIES);
    assert.deepEqual(readChunkHead(bytes), HEAD);
  });

  test('tells nothing of its body without the key', () => {
    assert.ok(!bytes.includes('of an order'));
    assert.throws(() => openChunk(bytes, newCipher()), DamagedDataError);
  });

  test('is refused with any byte changed, and cut short anywhere', () => {
    const small = encodeChunk(HEAD, bodyOf(ENTRIES.slice(0, 1)), cipher);
    for (let at = 0; at < small.length; at += 1) {
      const changed = Buffer.from(small);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.throws(() => openChunk(changed, cipher), DamagedDataError, `byte ${at}`);
      assert.throws(() => openChunk(small.subarray(0, at), cipher), DamagedDataError, `${at} bytes`);
    }
  });
});
