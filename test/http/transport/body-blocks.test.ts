import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodyBlocks } from '../../../src/http/transport/body-blocks.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';
import { randomFromEnvironment } from '../../support/random.ts';

const KIB = 1024;

test('what is taken is what was added, in order, however it was cut up', (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`PURSER_TEST_SEED=${random.seed}`);
  const blocks = new BodyBlocks();
  const bytes = patternBytes(5_000_000, random.seed);
  const taken: Buffer[] = [];
  const take = () => {
    const part = blocks.take();
    if (part === undefined) return false;
    taken.push(Buffer.from(part));
    return true;
  };
  for (let added = 0; added < bytes.length; ) {
    const length = random.chance(0.5) ? random.between(1, 2_000) : random.between(1, 700_000);
    // The server's memory, which it takes back.
    const chunk = Buffer.from(bytes.subarray(added, added + length));
    blocks.add(chunk);
    chunk.fill(0);
    added += chunk.length;
    for (let times = random.between(0, 3); times > 0; times -= 1) take();
    const takenBytes = taken.reduce((sum, part) => sum + part.length, 0);
    assert.equal(blocks.bytes, added - takenBytes);
  }
  while (take());
  assert.ok(Buffer.concat(taken).equals(bytes));
});

test('the memory of what was taken is used again, and not before the next is taken', () => {
  const blocks = new BodyBlocks();
  const memories = new Set<ArrayBufferLike>();
  for (let round = 0; round < 100; round += 1) {
    blocks.add(patternBytes(400 * KIB, round));
    const first = blocks.take();
    assert.ok(first !== undefined);
    blocks.add(Buffer.alloc(300 * KIB));
    assert.ok(
      patternBytes(400 * KIB, round)
        .subarray(0, first.length)
        .equals(first),
    );
    for (let part: Uint8Array | undefined = first; part !== undefined; part = blocks.take()) {
      memories.add(part.buffer);
    }
  }
  assert.ok(memories.size < 100, `${memories.size} blocks for 100 times 700 KiB`);
});

test('single bytes share a block', () => {
  const blocks = new BodyBlocks();
  for (let count = 0; count < 1_000; count += 1) blocks.add(Buffer.from([count % 256]));
  assert.equal(blocks.take()?.length, 1_000);
  assert.equal(blocks.take(), undefined);
});

test('what is cleared is gone, but for what is lent', () => {
  const blocks = new BodyBlocks();
  blocks.add(patternBytes(600 * KIB, 1));
  const lent = blocks.take();
  blocks.clear();
  assert.equal(blocks.bytes, 0);
  assert.equal(blocks.take(), undefined);
  assert.ok(
    patternBytes(600 * KIB, 1)
      .subarray(0, lent?.length)
      .equals(Buffer.from(lent ?? [])),
  );
});
