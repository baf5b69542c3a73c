/** Which blocks of items stay in memory: within the bound, and those that purchases come from before others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteCache } from '../../src/persistence/stock/byte-cache.ts';
import {
  encodeBlock,
  ITEMS_PER_BLOCK,
  ItemBlock,
  MAX_BLOCK_BYTES,
  MAX_ITEM_BYTES,
} from '../../src/persistence/stock/file/stock-block.ts';

function blockOfTexts(count: number, bytesEach: number): ItemBlock {
  const texts = Array.from({ length: count }, () => Buffer.alloc(bytesEach, 'x'));
  return ItemBlock.decode('a block', encodeBlock(texts), count);
}

const small = blockOfTexts(1, 100);

test('a full block of the longest texts counts as the greatest', () => {
  const greatest = blockOfTexts(ITEMS_PER_BLOCK, MAX_ITEM_BYTES);
  assert.equal(greatest.memoryBytes, MAX_BLOCK_BYTES);
  const cache = new ByteCache<ItemBlock>(MAX_BLOCK_BYTES);
  cache.set(10, greatest);
  assert.equal(cache.get(10), greatest);
  cache.set(11, blockOfTexts(ITEMS_PER_BLOCK, MAX_ITEM_BYTES));
  assert.equal(cache.get(10), undefined, 'two are more than it may hold');
});

test('a block larger than the whole cache is not kept, and nothing makes way for it', () => {
  const cache = new ByteCache<ItemBlock>(small.memoryBytes);
  cache.set(10, small);
  cache.set(20, blockOfTexts(1, 200));
  assert.deepEqual([cache.get(10), cache.get(20)], [small, undefined]);
});

test('whatever is put in and asked for, it holds no more than it may', () => {
  const cache = new ByteCache<ItemBlock>(10 * small.memoryBytes);
  for (let turn = 0; turn < 1_000; turn += 1) {
    cache.set((turn * 7) % 85, small);
    cache.get((turn * 3) % 85);
    assert.ok(cache.memoryBytes <= 10 * small.memoryBytes, `${cache.memoryBytes} bytes`);
  }
});

test('the block that a product is bought from outlives those that are read once', () => {
  const cache = new ByteCache<ItemBlock>(3 * small.memoryBytes);
  cache.set(10, small);
  for (let old = 0; old < 20; old += 1) {
    assert.equal(cache.get(10), small, `forgotten for ${old} old blocks of others`);
    cache.set(100 + old, small);
  }
});

test('of what nobody asks for, the oldest goes first', () => {
  const cache = new ByteCache<ItemBlock>(3 * small.memoryBytes);
  for (const block of [0, 1, 2, 3]) cache.set(block, small);
  assert.deepEqual(
    [0, 1, 2, 3].map((block) => cache.get(block) !== undefined),
    [false, true, true, true],
  );
});

test('a part of a block keeps no more than itself in memory', () => {
  const whole = encodeBlock(Array.from({ length: ITEMS_PER_BLOCK }, () => Buffer.alloc(MAX_ITEM_BYTES)));
  const part = ItemBlock.decode('a block', whole, 1);
  assert.ok(part.bytesAt(0).buffer.byteLength < 2 * MAX_ITEM_BYTES);
  // Small ones lie in a pool that node shares among buffers.
  const pooled = ItemBlock.decode('a block', Buffer.from(encodeBlock([Buffer.alloc(100)])), 1);
  assert.ok(pooled.bytesAt(0).buffer.byteLength < 2 * 100);
});

test('all values asked for, the newest is kept all the same', () => {
  const cache = new ByteCache<ItemBlock>(2 * small.memoryBytes);
  for (const key of [1, 2]) cache.set(key, small);
  for (const key of [1, 2]) cache.get(key);
  cache.set(3, small);
  assert.deepEqual([...cache.keys()].sort(), [2, 3]);
});
