/** How sure a repeated figure of `bench micro` is: said beside it, and in words where it is no figure to go by. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeatCells } from '../../../bench/repeats.ts';

const cases = [
  { name: 'repeats that lie close', values: [98, 100, 102], cells: ['100', '98–102', '±2 %'] },
  {
    name: 'one stall moves the range, not the figure',
    values: [100, 101, 99, 100, 20],
    cells: ['100', '20–101'],
  },
  { name: 'a tenth is still sure', values: [90, 100, 110], cells: ['100', '90–110', '±10 %'] },
  {
    name: 'more than a tenth is said in words',
    values: [40, 100, 184],
    cells: ['100', '40–184', 'not sure: ±72 %; repeat on a quiet machine'],
  },
  { name: 'nothing measured', values: [], cells: ['–', '–', 'not measured'] },
];

for (const { name, values, cells } of cases) {
  test(name, () => {
    const given = repeatCells(values, (value) => value.toFixed(0));
    assert.deepEqual(given.slice(0, cells.length), cells);
  });
}
