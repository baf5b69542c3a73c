/** Work that is tried again: how often, for which failures, and until when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseAfter, retry } from '../../src/shared/retry.ts';

function failing(times: number): { readonly work: () => string; tries: number } {
  const failing = {
    tries: 0,
    work: () => {
      failing.tries += 1;
      if (failing.tries <= times) throw new Error(`failure ${failing.tries}`);
      return 'done';
    },
  };
  return failing;
}

test('what fails is tried again until it works, and each failure is told', async () => {
  const { work } = failing(3);
  const told: unknown[] = [];
  const onFailure = (error: unknown, failures: number) => told.push([(error as Error).message, failures]);
  assert.equal(await retry(work, { pauseMs: 0, onFailure }), 'done');
  assert.deepEqual(told, [
    ['failure 1', 1],
    ['failure 2', 2],
    ['failure 3', 3],
  ]);
});

test('a failure that another try does not help is not tried again, nor told', async () => {
  const twice = failing(9);
  const told: unknown[] = [];
  const mayHelp = (error: unknown) => (error as Error).message !== 'failure 2';
  const onFailure = (error: unknown) => told.push((error as Error).message);
  await assert.rejects(retry(twice.work, { pauseMs: 0, mayHelp, onFailure }), { message: 'failure 2' });
  assert.equal(twice.tries, 2);
  assert.deepEqual(told, ['failure 1']);
});

test('the patience ends before a pause that would outlast it', async () => {
  const long = failing(9);
  await assert.rejects(retry(long.work, { pauseMs: 60_000, patienceMs: 1_000 }), { message: 'failure 1' });
  assert.equal(long.tries, 1);
});

test('an abort ends a pause, and what is aborted before is not tried', async () => {
  const ended = new AbortController();
  const paused = failing(9);
  const onFailure = () => setImmediate(() => ended.abort());
  await assert.rejects(retry(paused.work, { pauseMs: 60_000, signal: ended.signal, onFailure }), {
    name: 'AbortError',
  });
  await assert.rejects(retry(paused.work, { pauseMs: 0, signal: ended.signal }), { name: 'AbortError' });
  assert.equal(paused.tries, 1);
});

test('pauses double up to the longest, however many failures there are', () => {
  const pauses = [1, 2, 3, 4, 5_000].map((failures) => pauseAfter(failures, 250, 1_500));
  assert.deepEqual(pauses, [250, 500, 1_000, 1_500, 1_500]);
});
