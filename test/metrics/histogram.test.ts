/** What a histogram tells of the values that it was given. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Histogram } from '../../src/metrics/histogram.ts';

describe('a histogram', () => {
  const cases: [name: string, values: number[], counts: number[], sum: number][] = [
    ['nothing', [], [0, 0, 0], 0],
    ['a value at a bound counts with it', [1, 2], [1, 2, 2], 3],
    ['one below all bounds counts with all', [-1], [1, 1, 1], -1],
    ['one beyond all bounds counts with none', [5.5, 0.5], [1, 1, 1], 6],
  ];
  for (const [name, values, counts, sum] of cases) {
    it(name, () => {
      const histogram = new Histogram([1, 2, 5]);
      for (const value of values) histogram.add(value);
      assert.deepEqual(histogram.figures, { bounds: [1, 2, 5], counts, count: values.length, sum });
    });
  }
});
