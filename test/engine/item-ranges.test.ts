/** Ranges of item numbers answer as a plain set of the numbers does. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BrokenInvariantError } from '../../src/engine/apply/broken-invariant.ts';
import { countOf, highestOf, ItemRanges, rangesWithout } from '../../src/engine/item-ranges.ts';

const MAX = 40;
const number = fc.nat({ max: MAX });
const range = fc.record({ firstItem: number, count: fc.nat({ max: 6 }) });

test('whatever is added, in whatever order', () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), number, number, (added, from, size) => {
      const ranges = new ItemRanges();
      const numbers = new Set<number>();
      for (const { firstItem, count } of added) {
        ranges.add({ firstItem, count });
        for (let item = firstItem; item < firstItem + count; item += 1) numbers.add(item);
      }
      assert.deepEqual(
        numbersOf(ranges.list),
        [...numbers].toSorted((a, b) => a - b),
      );
      for (const [index, one] of ranges.list.entries()) {
        const before = ranges.list[index - 1];
        assert.ok(before === undefined || before.firstItem + before.count < one.firstItem, 'two that touch');
      }
      assert.equal(ranges.end, Math.max(-1, ...numbers) + 1);
      const behind = [...Array(4 * MAX).keys()].filter((item) => item >= from && !numbers.has(item));
      assert.equal(ranges.endOf(from), behind[0]);
      const inside = [...numbers].filter((item) => item >= from && item < from + size);
      assert.equal(ranges.countIn(from, from + size), inside.length);
      const left = ranges.itemsBetween(from, size);
      assert.deepEqual(numbersOf(left), behind.slice(0, size));
      assert.equal(countOf(left), Math.min(size, behind.length));
    }),
  );
});

test('what is within a part, what others leave and the highest of it, and what is left when a part is removed', () => {
  fc.assert(
    fc.property(
      fc.array(range, { maxLength: 12 }),
      fc.array(range, { maxLength: 12 }),
      range,
      number,
      fc.integer({ min: 1, max: 9 }),
      (all, some, part, before, limit) => {
        const [ranges, others] = [new ItemRanges(), new ItemRanges()];
        for (const one of all) ranges.add(one);
        for (const one of some) others.add(one);
        const [numbers, taken] = [numbersOf(ranges.list), new Set(numbersOf(others.list))];
        const { firstItem, count } = part;
        const within = numbers.filter((item) => item >= firstItem && item < firstItem + count);
        assert.deepEqual(numbersOf(ranges.within(firstItem, count)), within);
        const without = numbers.filter((item) => !taken.has(item));
        assert.deepEqual(numbersOf(rangesWithout(ranges.list, others.list)), without);
        const highest = highestOf(ranges.list, others.list, before, limit);
        assert.deepEqual(
          numbersOf(highest.toReversed()),
          without.filter((item) => item < before).slice(-limit),
        );
        for (const one of ranges.within(firstItem, count)) ranges.remove(one);
        assert.deepEqual(
          numbersOf(ranges.list),
          numbers.filter((item) => !within.includes(item)),
        );
        if (count > 0) assert.throws(() => ranges.remove(part), BrokenInvariantError);
      },
    ),
  );
});

function numbersOf(ranges: readonly { readonly firstItem: number; readonly count: number }[]): number[] {
  return ranges.flatMap(({ firstItem, count }) => Array.from({ length: count }, (_, at) => firstItem + at));
}
