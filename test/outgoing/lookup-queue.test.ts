/** Which look-up begins when, by a clock that the test moves. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LookupQueue, type LookupQueueOptions } from '../../src/outgoing/lookup-queue.ts';

class QueueScene {
  /** Names, in the order of what happened to them. */
  readonly begun: string[] = [];
  readonly gaveWay: string[] = [];
  readonly queue: LookupQueue;
  readonly #lookups = new Map<string, { begin(): void; giveWay(): void }>();
  readonly #tick: (durationMs: number) => void;
  #nowMs = 0;

  constructor(t: TestContext, options: Partial<LookupQueueOptions>) {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    this.#tick = (durationMs) => t.mock.timers.tick(durationMs);
    const nowMs = () => this.#nowMs;
    this.queue = new LookupQueue({ places: 1_000, maxWaiting: 1_000, nowMs, ...options });
  }

  enter(...names: string[]): boolean[] {
    return names.map((name) => {
      const lookup = {
        begin: () => this.begun.push(name),
        giveWay: () => {
          this.gaveWay.push(name);
          this.queue.leave(lookup);
        },
      };
      this.#lookups.set(name, lookup);
      return this.queue.enter(lookup);
    });
  }

  leave(...names: string[]): void {
    for (const name of names) {
      const lookup = this.#lookups.get(name);
      assert.ok(lookup);
      this.queue.leave(lookup);
    }
  }

  pass(durationMs: number): void {
    for (let left = durationMs; left > 0; left -= 1) {
      this.#nowMs += 1;
      this.#tick(1);
    }
  }
}

function names(count: number, prefix = 'host'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix} ${index}`);
}

test('64 look-ups begin at once, more when those are answered or 50 ms have passed, in order', (t) => {
  const scene = new QueueScene(t, {});
  const all = names(200);
  scene.enter(...all);
  assert.deepEqual(scene.begun, all.slice(0, 64));
  scene.leave('host 3', 'host 5');
  assert.deepEqual(scene.begun, all.slice(0, 66));
  scene.pass(49);
  assert.equal(scene.begun.length, 66);
  scene.pass(1);
  assert.deepEqual(scene.begun, all.slice(0, 130));
  scene.pass(100);
  assert.deepEqual(scene.begun, all);
  assert.equal(scene.queue.underWay, 198);
});

test('without a free place, the oldest look-up gives way, but not in its first second', (t) => {
  const scene = new QueueScene(t, { places: 2 });
  scene.enter('a');
  scene.pass(400);
  scene.enter('b', 'c', 'd', 'e');
  assert.deepEqual(scene.begun, ['a', 'b']);
  scene.pass(599);
  assert.deepEqual(scene.gaveWay, []);
  scene.pass(1);
  assert.deepEqual([scene.gaveWay, scene.begun], [['a'], ['a', 'b', 'c']]);
  scene.leave('c');
  assert.deepEqual(scene.begun, ['a', 'b', 'c', 'd']);
  scene.pass(400);
  assert.deepEqual([scene.gaveWay, scene.begun.at(-1)], [['a', 'b'], 'e']);
  scene.pass(10_000);
  assert.deepEqual(scene.gaveWay, ['a', 'b'], 'nobody waits, so nobody gives way');
});

test('look-ups that are too many to wait are refused, and one that leaves in time never begins', (t) => {
  const scene = new QueueScene(t, { places: 1, maxWaiting: 2 });
  assert.deepEqual(scene.enter('a', 'b', 'c', 'd'), [true, true, true, false]);
  scene.leave('b');
  assert.deepEqual(scene.enter('e'), [true]);
  scene.leave('a');
  scene.leave('c');
  assert.deepEqual(scene.begun, ['a', 'c', 'e']);
});
