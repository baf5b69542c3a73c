/** Answers of suppliers on their way to the main thread, some together: none is lost, and none told twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerGathering } from '../../src/suppliers/answer-gathering.ts';

const BUSY = 1;

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
