/** Ids of requests ascend for ever, whatever the clock does, so that one names one request and no other. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { NO_REQUEST, requestIdOf, requestNumberOf, requestTimeMs } from '../../src/engine/request-number.ts';
import { RequestIds } from '../../src/http/request-ids.ts';
import { codeOf, execute, placeOrder, worldState } from './commands.ts';

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
    { numRuns: 20 },
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
    'req_1795410403138',
    'req_1795410403138_01',
    'req_1795410403138_4096',
    'req_0000000000000_1',
  ];
  for (const id of others) assert.equal(requestNumberOf(id), NO_REQUEST, id);
});

test('a start behind facts whose clock was ahead gives none of their numbers again', () => {
  const state = worldState({ accounts: 1, products: 1, balanceMicros: 1e9, stock: 100 });
  const aheadMs = START_MS + 60_000;
  const order = (requestNumber: number) => {
    const command = placeOrder({ idempotencyKey: `${requestNumber}`, requestNumber });
    assert.equal(codeOf(execute(state, command, aheadMs)), 'done');
  };
  let highest = 0;
  for (let start = 0; start < 3; start += 1) {
    const ids = new RequestIds(
      () => START_MS,
      requestTimeMs(state.lastRequestNumber || requestNumberAt(aheadMs)),
    );
    for (let request = 0; request < 3; request += 1) {
      const number = requestNumberOf(ids.next());
      assert.ok(number > highest, 'a number came again');
      highest = number;
      order(number);
    }
  }
  assert.equal(state.lastRequestNumber, highest);
});

function requestNumberAt(ms: number): number {
  return requestNumberOf(`req_${ms}_0`);
}
