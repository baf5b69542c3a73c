/** When webhooks hold back: only while purchases want the processors that they run on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RoundPace } from '../../../src/webhooks/outbox/thread/round-pace.ts';

/** A pace whose outbox has waited for a processor during `waitingMs` of the last 100 ms, at a round just now. */
function paceAfter(waitingMs: number, mainThreadWorks: number) {
  let nowMs = 5_000;
  let waitedMs = 1_000;
  const pace = new RoundPace({ nowMs: () => nowMs, waitedMs: () => waitedMs });
  pace.mainThreadWorks(mainThreadWorks);
  nowMs += 100;
  waitedMs += waitingMs;
  pace.round();
  return { pace, pass: (passedMs: number) => (nowMs += passedMs) };
}

function attemptsOfARound(pace: RoundPace): number {
  let attempts = 0;
  for (; pace.mayBegin && attempts < 10_000; attempts += 1) pace.begun();
  return attempts;
}

const cases = [
  { when: 'the machine has nothing to do', waitingMs: 0, mainThreadWorks: 0.01, isHeldBack: false },
  { when: 'purchases fill one of many cores', waitingMs: 1, mainThreadWorks: 0.99, isHeldBack: false },
  { when: 'deliveries alone fill the machine', waitingMs: 80, mainThreadWorks: 0.2, isHeldBack: false },
  { when: 'both want the same cores', waitingMs: 30, mainThreadWorks: 0.95, isHeldBack: true },
];
for (const { when, waitingMs, mainThreadWorks, isHeldBack } of cases) {
  test(`when ${when}, webhooks ${isHeldBack ? 'hold back' : 'go as fast as they can'}`, () => {
    const { pace } = paceAfter(waitingMs, mainThreadWorks);
    assert.equal(pace.spacingMs, isHeldBack ? 100 : 10);
    const perSecond = (attemptsOfARound(pace) * 1_000) / pace.spacingMs;
    assert.equal(perSecond, isHeldBack ? 1_000 : 15_000);
    assert.equal((pace.facts * 1_000) / pace.spacingMs, isHeldBack ? 2_000 : 200_000);
  });
}

test('a main thread that has nothing more to say is not busy for long', () => {
  const { pace, pass } = paceAfter(50, 1);
  pass(399);
  assert.equal(pace.spacingMs, 100);
  pass(1);
  assert.equal(pace.spacingMs, 10);
});
