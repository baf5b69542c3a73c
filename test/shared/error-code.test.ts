/** Codes of errors, whoever made them. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { codeOf, innerCodeOf, withCauses } from '../../src/shared/error-code.ts';

test('the code of an error is a name, also where LMDB gives a number', () => {
  let thrown: unknown;
  try {
    readFileSync('/there/is/no/such/file');
  } catch (error) {
    thrown = error;
  }
  assert.equal(codeOf(thrown), 'ENOENT');
  assert.equal(codeOf(Object.assign(new Error('no space left'), { code: 28 })), 'ENOSPC');
});

test('what is no error of the system has none: LMDB’s own, a broken off request, and anything thrown', () => {
  const others = [
    Object.assign(new Error('MDB_MAP_FULL'), { code: -30792 }),
    new DOMException('late', 'TimeoutError'),
    new Error('x'),
    'text',
    null,
    undefined,
  ];
  for (const each of others) assert.equal(codeOf(each), undefined, String(each));
});

test('a code is found behind causes, and in a list of what several addresses said', () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  const failed = new TypeError('fetch failed', { cause: new AggregateError([refused, new Error('other')]) });
  assert.equal(codeOf(failed), undefined);
  assert.equal(innerCodeOf(failed), 'ECONNREFUSED');
});

test('causes that go round end', () => {
  const error: Error = new Error('round');
  error.cause = error;
  assert.ok([...withCauses(error)].length > 1);
  assert.equal(innerCodeOf(error), undefined);
});
