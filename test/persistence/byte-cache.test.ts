/** Blocks of items in memory: however many are read, they take no more than they may. */
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
