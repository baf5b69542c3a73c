/** How much room the arrays of a forgotten generation keep for the next one. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lengthToKeep } from '../../src/engine/kept-room.ts';

const first = 1_000;

for (const { length, used, kept, why } of [
  { length: 1_000, used: 0, kept: 1_000, why: 'never less than at first' },
  { length: 1_500, used: 0, kept: 1_000, why: 'nor by halving' },
  { length: 8_000, used: 8_000, kept: 8_000, why: 'what was full is kept' },
  { length: 8_000, used: 2_000, kept: 8_000, why: 'and so is what was used to a quarter' },
  { length: 8_000, used: 1_999, kept: 4_000, why: 'half of what was used to less than that' },
  { length: 4_001, used: 1, kept: 2_000, why: 'in whole numbers' },
  { length: 32_000, used: 32_000, kept: 32_000, why: 'a busy node keeps its room' },
  { length: 32_001, used: 32_001, kept: 1_000, why: "a burst's is given back at once" },
]) {
  test(`${used} of ${length} used: ${kept}; ${why}`, () => {
    assert.equal(lengthToKeep(length, used, first), kept);
  });
}
