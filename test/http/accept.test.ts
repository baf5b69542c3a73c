/** Which of two media types a request prefers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPreferred } from '../../src/http/accept.ts';

const cases: [accept: string | undefined, isCsv: boolean][] = [
  [undefined, false],
  ['', false],
  ['text/csv', true],
  ['Text/CSV; header=present; Q=0.1', true],
  ['text/csv, application/json', true],
  ['application/json, text/csv', false],
  ['application/json;q=0.5, text/csv;q=0.6', true],
  ['text/csv;q=0, application/json', false],
  ['text/csv;q=0', false],
  ['text/csv;q=0, */*', false],
  ['text/csv;q=0.000, text/*', false],
  ['text/csv;q=much', false],
  ['*/*', false],
  ['text/*', true],
  ['text/*;q=0.2, */*;q=0.1', true],
  ['text/csv, */*', true],
  ['text/csv;q=0.9, */*', false],
  ['text/html, application/xhtml+xml, */*;q=0.8', false],
];

for (const [accept, isCsv] of cases) {
  test(`Accept: ${accept} is answered with ${isCsv ? 'CSV' : 'JSON'}`, () => {
    assert.equal(isPreferred('text/csv', 'application/json', accept), isCsv);
  });
}
