import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NO_REQUEST, requestIdOf, requestNumberOf, requestTimeMs } from '../../src/engine/request-number.ts';
import { RequestIds } from '../../src/http/request-ids.ts';

const START_MS = 1_795_410_403_138;

test('ids ascend, also when the clock stands still, goes back, or a thousand come in a millisecond', () => {
  const clocks = fc.array(fc.integer({ min: START_MS - 1_000, max: START_MS + 1_000 }), { minLength: 1 });
  fc.assert(
    fc.property(clocks, (times) => {
      let nowMs = START_MS;
      const ids = new RequestIds(() => nowMs, START_MS);
      let last = 0;
      for (nowMs of times) {
        for (let request = 0; request < 5_000; request += 1_000) {
          const number = requestNumberOf(ids.next());
          assert.ok(number > last && requestTimeMs(number) > START_MS);
          last = number;
        }
      }
    }),
    { numRuns: 50 },
  );
});

test('more than four thousand requests of one millisecond have ids of the next', () => {
  const ids = new RequestIds(() => START_MS);
  const numbers = Array.from({ length: 10_000 }, () => requestNumberOf(ids.next()));
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].toSorted((one, other) => one - other),
  );
});

test('an id is read back from its number', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4_096, max: Number.MAX_SAFE_INTEGER }), (number) => {
      assert.equal(requestNumberOf(requestIdOf(number)), number);
    }),
  );
});

test('what is no id of a request has no number', () => {
  const others = [
    '',
    'req_',
    'req_1795410403138',
    'req_1795410403138_',
    'req_1795410403138_01',
    'req_1795410403138_00',
    'req_1795410403138_4096',
    'req_1795410403138_1x',
    'req_179541040313_10',
    'req_0000000000000_1',
    'REQ_1795410403138_1',
    'req_b3fb285173ae_147684',
  ];
  for (const id of others) assert.equal(requestNumberOf(id), NO_REQUEST, id);
});
