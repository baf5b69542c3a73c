/** Sets of rows as bytes: whatever their sizes, they come out as they went in, and as a whole or not at all. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DamagedDataError } from '../../../src/persistence/codec/byte-reader.ts';
import { PART_BYTES, type RowChange, RowSets } from '../../../src/persistence/shipping/row-changes.ts';
import { patternBytes } from '../../support/pattern-bytes.ts';
import { inSmallParts, partsOf, put, removed } from './shipped-parts.ts';

/** The sets that are complete after parts that come one by one. */
function setsOf(parts: readonly Uint8Array[], sets = new RowSets()): RowChange[][] {
  const whole: RowChange[][] = [];
  for (const part of parts) sets.take([part], (changes) => whole.push(changes));
  return whole;
}

const large = (bytes: number) => put('items', 'large', Buffer.from(patternBytes(bytes, 1)));
const cases: [parts: number, changes: RowChange[]][] = [
  [1, []],
  [1, [put('a', '1', 'x'), put('b', '1', ''), removed('a', '1'), put('b', '2', 'y')]],
  [2, [put('a', '1', 'x'), large(PART_BYTES), removed('a', '1')]],
  [17, [large(16 * PART_BYTES)]],
];

describe('a set of rows', () => {
  test('of several tables, or larger than a part, comes out as it went in', () => {
    for (const [count, changes] of cases) {
      const parts = partsOf(...changes);
      assert.equal(parts.length, count);
      assert.ok(parts.every((part) => part.length <= PART_BYTES));
      assert.deepEqual(setsOf(parts), [changes]);
    }
  });

  const [first, second] = [[put('a', '1', 'first'), removed('b', '2')], [put('a', '1', 'second')]];
  const [firstParts, secondParts] = [inSmallParts(partsOf(...first), 3), inSmallParts(partsOf(...second), 3)];

  test('whose end never came gives way to the next', () => {
    assert.deepEqual(setsOf([...firstParts.slice(0, -1), ...secondParts]), [second]);
  });

  test('comes together with those that are whole when its last part is; what is left waits for its end', () => {
    const sets = new RowSets();
    const given: RowChange[][] = [];
    const take = (parts: Uint8Array[]) => sets.take(parts, (changes) => given.push(changes));
    assert.equal(take([...firstParts, ...secondParts, ...firstParts.slice(0, 1)]), false);
    assert.equal(take(firstParts.slice(1)), true);
    assert.deepEqual(given, [[...first, ...second], first]);
  });

  test('that could not be applied with others is applied by the same parts again', () => {
    const sets = new RowSets();
    setsOf(firstParts.slice(0, 1), sets);
    const parts = [...firstParts.slice(1), ...secondParts];
    const fail = () => {
      throw new Error('no room');
    };
    assert.throws(() => sets.take(parts, fail), /no room/);
    const given: RowChange[][] = [];
    assert.ok(sets.take(parts, (changes) => given.push(changes)));
    assert.deepEqual(given, [[...first, ...second]]);
  });

  test('that lacks its beginning, a part in the middle, or all bytes is damage', () => {
    for (const parts of [
      firstParts.slice(1),
      firstParts.filter((_, place) => place !== 1),
      [Buffer.alloc(0)],
    ])
      assert.throws(() => setsOf(parts), DamagedDataError);
  });
});
