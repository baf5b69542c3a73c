import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastWords } from '../src/last-words.ts';

const cases: [what: string, error: unknown, words: string][] = [
  [
    "the library's number of a disk that fails",
    new Error('the journal failed', { cause: Object.assign(new Error('Input/output error'), { code: 5 }) }),
    'the journal failed: the disk failed; check the disk before you start again (EIO)',
  ],
  [
    'a cause that is in the message already',
    new Error('a cannot be read: no such place', { cause: new Error('no such place') }),
    'a cannot be read: no such place',
  ],
  ['a fault of the program', new TypeError('x is not a function'), 'TypeError: x is not a function'],
  ['several lines', new Error('first\n    at somewhere'), 'first'],
  ['no error', 'a text', 'a text'],
  ["the database's own number", Object.assign(new Error('MDB_PANIC'), { code: -30795 }), 'MDB_PANIC'],
];

test('a node that stops says in one line why', () => {
  for (const [what, error, words] of cases) assert.equal(lastWords(error), words, what);
  const circle = new Error('round');
  circle.cause = circle;
  assert.equal(lastWords(circle), 'round');
});
