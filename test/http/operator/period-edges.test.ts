/** Parts of days are read from the journal once for all pages, and again when there is more of them. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { noSums } from '../../../src/engine/money-change.ts';
import { type EdgeSums, PeriodEdges } from '../../../src/http/operator/period-edges.ts';

const OVER = { of: 'account', fromMs: 10, toMs: 20, through: 7, isOver: true } as const;
const GOES_ON = { ...OVER, isOver: false } as const;

/** Notes what is read. */
function scene(context: TestContext) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const read: (readonly number[])[] = [];
  let answer: EdgeSums | undefined;
  const edges = new PeriodEdges({
    sumsOf: async ({ fromMs, through }) => {
      read.push([fromMs, through]);
      return answer ?? { total: noSums(), rows: new Map() };
    },
  });
  return { edges, read, answerWith: (with_?: EdgeSums) => (answer = with_) };
}

test('an edge that is over is read once, whoever asks, at once or later', async (context) => {
  const { edges, read } = scene(context);
  const first = await Promise.all([edges.sumsOf(OVER), edges.sumsOf(OVER)]);
  assert.deepEqual([first[0] === first[1], read.length], [true, 1]);
  assert.equal(await edges.sumsOf({ ...OVER, through: 9 }), first[0]);
  assert.deepEqual(read, [[10, 7]]);
  for (const other of [{ fromMs: 11 }, { toMs: 21 }, { of: 'product' } as const]) {
    await edges.sumsOf({ ...OVER, ...other });
  }
  assert.equal(read.length, 4);
});

test('one that goes on is read again when there are more facts', async (context) => {
  const { edges, read } = scene(context);
  for (const through of [7, 7, 9, 9]) await edges.sumsOf({ ...GOES_ON, through });
  assert.deepEqual(read, [
    [10, 7],
    [10, 9],
  ]);
});

test('what could not be read is asked for again', async (context) => {
  const { edges, read, answerWith } = scene(context);
  for (const trouble of ['gone', 'busy'] as const) {
    answerWith(trouble);
    assert.equal(await edges.sumsOf(OVER), trouble);
  }
  answerWith();
  assert.equal(typeof (await edges.sumsOf(OVER)), 'object');
  assert.equal(read.length, 3);
});
