/** Answers of suppliers on their way to the main thread: a lone one at once, those of a busy supplier together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerGathering } from '../../src/suppliers/answer-gathering.ts';

const BUSY = 1;
const IDLE = 2;

for (const { what, underWay, toldAtMs } of [
  { what: 'a lone answer is told when the turn of the event loop is over', underWay: 1, toldAtMs: 0 },
  { what: 'so it is beside 38 others', underWay: 39, toldAtMs: 0 },
  { what: 'with 400 under way it waits 10 ms', underWay: 400, toldAtMs: 10 },
  { what: 'and never longer than 20 ms', underWay: 8_000, toldAtMs: 20 },
]) {
  test(what, (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] });
    const told: string[] = [];
    const answers = new AnswerGathering<string>((all) => told.push(all.join(' ')));
    for (let count = 0; count < underWay; count += 1) answers.asked(BUSY);
    answers.asked(IDLE);
    answers.answered(BUSY, 'a');
    if (underWay > 1) answers.answered(BUSY, 'b');
    const together = underWay > 1 ? 'a b' : 'a';
    if (toldAtMs > 0) {
      t.mock.timers.tick(toldAtMs - 1);
      assert.deepEqual(told, []);
      answers.answered(IDLE, 'of another supplier');
      t.mock.timers.tick(1);
      assert.deepEqual(told.toSorted(), [together, 'of another supplier'].toSorted());
    } else {
      t.mock.timers.tick(0);
      assert.deepEqual(told, [together]);
    }
  });
}

test('every answer is told once, and a supplier that is done with begins anew', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] });
  const told: number[] = [];
  const answers = new AnswerGathering<number>((all) => told.push(...all));
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < 200; count += 1) answers.asked(BUSY);
    for (let count = 0; count < 200; count += 1) {
      answers.answered(BUSY, round * 200 + count);
      t.mock.timers.tick(1);
    }
    t.mock.timers.tick(50);
    assert.deepEqual(
      told,
      Array.from({ length: (round + 1) * 200 }, (_, index) => index),
    );
  }
});
