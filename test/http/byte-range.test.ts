/** Which part of a file of 1,000 bytes a download gets (RFC 9110 §13, §14). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type BodyPart, choosePart, type RangeConditions } from '../../src/http/byte-range.ts';

const ETAG = '"abc"';
const SIZE_BYTES = 1_000;

function choose(conditions: Partial<RangeConditions>): BodyPart {
  return choosePart(
    { range: undefined, ifRange: undefined, ifNoneMatch: undefined, ...conditions },
    ETAG,
    SIZE_BYTES,
  );
}

test('Range', () => {
  const parts: Record<string, [start: number, end: number]> = {
    'bytes=0-0': [0, 1],
    'bytes=500-999': [500, 1000],
    'bytes=999-': [999, 1000],
    'bytes=500-5000': [500, 1000],
    'bytes=0-99999999999999999999999999': [0, 1000],
    'bytes=007-009': [7, 10],
    'bytes= 1-2 ': [1, 3],
    'BYTES=1-2': [1, 3],
    'bytes=-1': [999, 1000],
    'bytes=-1001': [0, 1000],
  };
  for (const [range, [start, end]] of Object.entries(parts))
    assert.deepEqual(choose({ range }), { kind: 'part', start, end }, range);
  for (const range of ['-0', '1000-', '1000-1001', '99999999999999999999999999-'])
    assert.equal(choose({ range: `bytes=${range}` }).kind, 'unsatisfiable', range);
  // Several ranges, other units and what is malformed: the whole file.
  const malformed = ['0-1,3-4', '0-1,', '2-1', '-', '', 'a-b', '1e2-', '+1-2', '1.5-2', '1 - 2', '--1'];
  const others = [...malformed.map((range) => `bytes=${range}`), 'bytes', 'bytes 0-1', 'items=0-1', ''];
  for (const range of [undefined, ...others]) assert.equal(choose({ range }).kind, 'whole', range);
});

describe('If-Range', () => {
  const cases: readonly (readonly [ifRange: string, expected: BodyPart['kind']])[] = [
    [ETAG, 'part'],
    ['"other"', 'whole'],
    [`W/${ETAG}`, 'whole'],
    ['abc', 'whole'],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 'whole'],
  ];
  for (const [ifRange, expected] of cases) {
    test(`${ifRange} gets ${expected}`, () => {
      assert.equal(choose({ range: 'bytes=1-2', ifRange }).kind, expected);
    });
  }

  test('that does not match saves a range from being unsatisfiable', () => {
    assert.equal(choose({ range: 'bytes=5000-', ifRange: '"other"' }).kind, 'whole');
  });
});

describe('If-None-Match', () => {
  const cases: readonly (readonly [ifNoneMatch: string, expected: BodyPart['kind']])[] = [
    [ETAG, 'not-modified'],
    [`W/${ETAG}`, 'not-modified'],
    [`"x", ${ETAG} ,"y"`, 'not-modified'],
    ['*', 'not-modified'],
    ['"x"', 'whole'],
    ['abc', 'whole'],
    ['"abcd"', 'whole'],
  ];
  for (const [ifNoneMatch, expected] of cases) {
    test(`${ifNoneMatch} gets ${expected}`, () => assert.equal(choose({ ifNoneMatch }).kind, expected));
  }

  test('comes before Range', () => {
    assert.equal(choose({ ifNoneMatch: ETAG, range: 'bytes=5000-' }).kind, 'not-modified');
    assert.equal(choose({ ifNoneMatch: '"x"', range: 'bytes=5000-' }).kind, 'unsatisfiable');
  });
});
