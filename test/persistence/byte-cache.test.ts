/** Which blocks of items stay in memory: within the bound, and those that purchases come from before others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteCache } from '../../src/persistence/stock/byte-cache.ts';
import { encodeBlock, ItemBlock } from '../../src/persistence/stock/file/stock-block.ts';

const small = ItemBlock.decode('a block', encodeBlock([Buffer.alloc(100, 'x')]), 1);

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
