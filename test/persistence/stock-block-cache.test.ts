/** Which blocks of items stay in memory: within the bound, and those that purchases come from before others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  encodeBlock,
  ITEMS_PER_BLOCK,
  ItemBlock,
  MAX_BLOCK_BYTES,
  MAX_ITEM_BYTES,
} from '../../src/persistence/stock/file/stock-block.ts';
import { BlockCache } from '../../src/persistence/stock/file/stock-block-cache.ts';

function blockOfTexts(count: number, bytesEach: number): ItemBlock {
  const texts = Array.from({ length: count }, () => Buffer.alloc(bytesEach, 'x'));
  return ItemBlock.decode(encodeBlock(texts), count) ?? assert.fail('not a block');
}

const small = blockOfTexts(1, 100);

test('a full block of the longest texts counts as the greatest', () => {
  const greatest = blockOfTexts(ITEMS_PER_BLOCK, MAX_ITEM_BYTES);
  assert.equal(greatest.memoryBytes, MAX_BLOCK_BYTES);
  const cache = new BlockCache(MAX_BLOCK_BYTES);
  cache.set(1, 0, greatest);
  assert.equal(cache.get(1, 0), greatest);
  cache.set(1, 1, blockOfTexts(ITEMS_PER_BLOCK, MAX_ITEM_BYTES));
  assert.equal(cache.get(1, 0), undefined, 'two are more than it may hold');
});

test('a block larger than the whole cache is not kept, and nothing makes way for it', () => {
  const cache = new BlockCache(small.memoryBytes);
  cache.set(1, 0, small);
  cache.set(2, 0, blockOfTexts(1, 200));
  assert.deepEqual([cache.get(1, 0), cache.get(2, 0)], [small, undefined]);
});

test('whatever is put in and asked for, it holds no more than it may', () => {
  const cache = new BlockCache(10 * small.memoryBytes);
  for (let turn = 0; turn < 1_000; turn += 1) {
    cache.set(turn % 17, (turn * 7) % 5, small);
    cache.get((turn * 3) % 17, turn % 5);
    assert.ok(cache.memoryBytes <= 10 * small.memoryBytes, `${cache.memoryBytes} bytes`);
  }
});

test('the block that a product is bought from outlives those that are read once', () => {
  const cache = new BlockCache(3 * small.memoryBytes);
  cache.set(1, 0, small);
  for (let old = 0; old < 20; old += 1) {
    assert.equal(cache.get(1, 0), small, `forgotten for ${old} old blocks of others`);
    cache.set(2 + old, 0, small);
  }
});

test('of what nobody asks for, the oldest goes first', () => {
  const cache = new BlockCache(3 * small.memoryBytes);
  for (const block of [0, 1, 2, 3]) cache.set(1, block, small);
  assert.deepEqual(
    [0, 1, 2, 3].map((block) => cache.get(1, block) !== undefined),
    [false, true, true, true],
  );
});

test('a part of a block keeps no more than itself in memory', () => {
  const whole = encodeBlock(Array.from({ length: ITEMS_PER_BLOCK }, () => Buffer.alloc(MAX_ITEM_BYTES)));
  const part = ItemBlock.decode(whole, 1) ?? assert.fail('not a block');
  assert.ok(part.bytesAt(0).buffer.byteLength < 2 * MAX_ITEM_BYTES);
  // Small ones lie in a pool that node shares among buffers.
  const pooled =
    ItemBlock.decode(Buffer.from(encodeBlock([Buffer.alloc(100)])), 1) ?? assert.fail('not a block');
  assert.ok(pooled.bytesAt(0).buffer.byteLength < 2 * 100);
});
