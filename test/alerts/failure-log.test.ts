/** The log of failed requests: each has its id and its cause, and a flood is bounded. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { FailureLog } from '../../src/alerts/failure-log.ts';
import { eventually } from '../support/eventually.ts';

const REQUEST = {
  requestId: 'req_1',
  method: 'POST',
  path: '/api/v1/buyer/orders',
  accountId: 7,
  operator: '',
};
const FULL = { code: 'INTERNAL_ERROR', message: 'Retry.', cause: 'the disk is full' };

interface Line {
  readonly level: number;
  readonly err?: { readonly type: string; readonly message: string; readonly stack?: string };
  readonly failuresLeftOut?: Readonly<Record<string, number>>;
}

function logged() {
  const lines: (Line & Record<string, unknown>)[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  return { lines, failures: new FailureLog(log) };
}

test('what should not have happened is an error with its stack, what is known to happen a warning with its reason', () => {
  const { lines, failures } = logged();
  failures.fault(new TypeError('x is undefined'), REQUEST);
  failures.fault('a text');
  failures.failed(FULL, 500, REQUEST);
  failures.stop();
  const [first, second, third] = lines;
  assert.deepEqual([first?.level, first?.requestId, first?.accountId], [50, 'req_1', 7]);
  assert.deepEqual([first?.err?.type, first?.err?.message], ['TypeError', 'x is undefined']);
  assert.match(first?.err?.stack ?? '', /^TypeError: x is undefined\n {4}at /);
  assert.deepEqual([second?.err, second?.requestId], [{ type: 'string', message: 'a text' }, undefined]);
  assert.deepEqual([third?.level, third?.requestId, third?.err], [40, 'req_1', undefined]);
  assert.deepEqual([third?.error, third?.reason], ['INTERNAL_ERROR', 'the disk is full']);
});

test('a flood has ten lines a second, and the rest of it is counted', async () => {
  const { lines, failures } = logged();
  const error = new Error('always the same');
  for (let count = 0; count < 20_000; count += 1)
    failures.fault(error, { ...REQUEST, requestId: `req_${count}` });
  for (let count = 0; count < 9_999; count += 1) failures.failed(FULL, 500, REQUEST);
  assert.deepEqual(
    lines.map(({ requestId, err }) => [requestId, err?.stack !== undefined]),
    Array.from({ length: 10 }, (_, count) => [`req_${count}`, count === 0]),
  );
  await eventually('the end of the second', () => lines.length > 10);
  assert.deepEqual(lines.at(-1)?.failuresLeftOut, { Error: 19_990, INTERNAL_ERROR: 9_999 });
  failures.fault(error, REQUEST);
  assert.ok(lines.at(-1)?.err?.stack, 'the next second begins with a stack');
  failures.stop();
  assert.equal(lines.length, 12);
});
