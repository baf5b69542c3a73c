/** The list of awaited bodies: whoever waits too long is timed out, in whatever order the others come and go. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { type AwaitedBody, SlowBodies } from '../../../src/http/transport/slow-bodies.ts';
import { randomFromEnvironment } from '../../support/random.ts';

class Waiting implements AwaitedBody {
  older: AwaitedBody | undefined;
  newer: AwaitedBody | undefined;
  sinceTick = -1;
  /** Seconds in the list, as a plain model counts them; -1 when it is not in the list. */
  seconds = -1;
  timedOut = 0;
  readonly #onTimeOut: () => void;

  constructor(onTimeOut: () => void = () => {}) {
    this.#onTimeOut = onTimeOut;
  }

  keepWaiting(): void {}

  timeOut(): void {
    this.timedOut += 1;
    this.seconds = -1;
    this.#onTimeOut();
  }
}

function ticking(run: (slowBodies: SlowBodies, second: () => void) => void): void {
  mock.timers.enable({ apis: ['setInterval'] });
  const slowBodies = new SlowBodies();
  slowBodies.start();
  try {
    run(slowBodies, () => mock.timers.tick(1_000));
  } finally {
    slowBodies.stop();
    mock.timers.reset();
  }
}

test('of random bodies that come, go and begin anew, those time out whose time is over', (t) => {
  const random = randomFromEnvironment();
  t.diagnostic(`seed ${random.seed}`);
  ticking((slowBodies, second) => {
    const bodies = Array.from({ length: 12 }, () => new Waiting());
    for (let step = 0; step < 3_000; step++) {
      const body = random.pick(bodies);
      if (random.chance(0.5)) {
        slowBodies.watch(body);
        body.seconds = 0;
      } else {
        slowBodies.forget(body);
        body.seconds = -1;
      }
      if (random.chance(0.7)) continue;
      const before = bodies.map(({ timedOut, seconds }) => timedOut + (seconds === 10 ? 1 : 0));
      for (const waiting of bodies) if (waiting.seconds >= 0) waiting.seconds += 1;
      second();
      assert.deepEqual(
        bodies.map(({ timedOut }) => timedOut),
        before,
        `step ${step}`,
      );
    }
    assert.ok(bodies.some(({ timedOut }) => timedOut > 0));
  });
});

test('a body whose handler takes others out of the list leaves these alone', () => {
  ticking((slowBodies, second) => {
    const second1 = new Waiting();
    const second2 = new Waiting();
    const first = new Waiting(() => slowBodies.forget(second1));
    for (const body of [first, second1, second2]) slowBodies.watch(body);
    for (let i = 0; i < 11; i++) second();
    assert.deepEqual([first.timedOut, second1.timedOut, second2.timedOut], [1, 0, 1]);
  });
});
