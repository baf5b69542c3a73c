/** Answers of suppliers on their way to the main thread: a lone one at once, those of a busy supplier together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerGathering } from '../../src/suppliers/answer-gathering.ts';

const BUSY = 1;
const IDLE = 2;

test('a lone answer is told at once; those of a busy supplier wait for others, never longer than 20 ms', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] });
  for (const [underWay, toldAtMs] of [
    [39, 0],
    [400, 10],
    [8_000, 20],
  ] as const) {
    const told: string[] = [];
    const answers = new AnswerGathering<string>((all) => told.push(all.join(' ')));
    for (let count = 0; count < underWay; count += 1) answers.asked(BUSY);
    answers.asked(IDLE);
    answers.answered(BUSY, 'a');
    answers.answered(BUSY, 'b');
    answers.answered(IDLE, 'of another supplier');
    t.mock.timers.tick(0);
    assert.equal(told.includes('a b'), toldAtMs === 0, `${underWay} under way`);
    if (toldAtMs > 0) t.mock.timers.tick(toldAtMs);
    assert.deepEqual(told.toSorted(), ['a b', 'of another supplier']);
  }
});

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
