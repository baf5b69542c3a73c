/** Answers of suppliers on their way to the main thread: a lone one at once, many together. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { AnswerGathering } from '../../src/suppliers/answer-gathering.ts';

/** What was told, a line for each message: when, and what. */
function gathering(t: { after(work: () => void): void }) {
  mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] });
  let nowMs = 1_000;
  const clock = mock.method(performance, 'now', () => nowMs);
  t.after(() => {
    mock.timers.reset();
    clock.mock.restore();
  });
  const told: string[] = [];
  const startMs = nowMs;
  const answers = new AnswerGathering<string>((all) => told.push(`${nowMs - startMs}: ${all.join(' ')}`));
  const passMs = (durationMs: number) => {
    for (let passed = 0; passed < durationMs; passed += 1) {
      nowMs += 1;
      mock.timers.tick(1);
    }
  };
  return { answers, told, passMs };
}

test('answers that come one by one are told at once', (t) => {
  const { answers, told, passMs } = gathering(t);
  for (const answer of ['a', 'b', 'c']) {
    answers.add(answer);
    passMs(4);
  }
  assert.deepEqual(told, ['1: a', '5: b', '9: c']);
});

test('what comes in one turn of the event loop is told at once and together', (t) => {
  const { answers, told, passMs } = gathering(t);
  for (const answer of ['a', 'b', 'c']) answers.add(answer);
  passMs(30);
  assert.deepEqual(told, ['1: a b c']);
});

test('of answers that come densely, a message every 20 ms', (t) => {
  const { answers, told, passMs } = gathering(t);
  for (let count = 0; count < 100; count += 1) {
    answers.add(String(count));
    passMs(1);
  }
  passMs(60);
  const messages = told.map((message) => message.split(': '));
  assert.deepEqual(
    messages.map(([atMs]) => Number(atMs)),
    [1, 3, 7, 15, 31, 51, 71, 91, 111],
  );
  const all = messages.flatMap(([, together = '']) => together.split(' ').map(Number));
  assert.deepEqual(
    all,
    Array.from({ length: 100 }, (_, index) => index),
  );
});
