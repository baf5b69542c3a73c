/** Rows come back owner by owner, ascending, and each owner's in the order in which they were added. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GroupedRows } from '../../../src/persistence/checkpoint/grouped-rows.ts';
import { randomFromEnvironment } from '../../support/random.ts';

test('rows are grouped as a map of lists groups them', (context) => {
  const random = randomFromEnvironment();
  context.diagnostic(`seed ${random.seed}`);
  for (const columns of [1, 2, 3, 5]) {
    const rows = new GroupedRows(columns);
    // Several times over: what was visited is forgotten. Owners and rows beyond the first room, too.
    for (const [count, owners] of [
      [0, 1],
      [3_000, 7],
      [10, 5_000],
      [5_000, 3_000],
    ] as const) {
      const expected = new Map<number, number[]>();
      for (let row = 0; row < count; row += 1) {
        const owner = random.between(0, owners);
        const [a, b, c, d, e] = [row, random.next() * 2 ** 53, -row, 1 / 3, 2 ** 52];
        rows.add(owner, a, b, c, d, e);
        expected.set(owner, [...(expected.get(owner) ?? []), ...[a, b, c, d, e].slice(0, columns)]);
      }
      const found: [number, number[]][] = [];
      rows.visit((owner, values, start, end) => found.push([owner, [...values.subarray(start, end)]]));
      assert.deepEqual(
        found,
        [...expected].sort(([a], [b]) => a - b),
      );
      assert.ok(rows.isEmpty);
    }
  }
});
