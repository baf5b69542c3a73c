/** Which part of a file of 1,000 bytes a download gets (RFC 9110 §13, §14). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('If-Range', () => {
  assert.equal(choose({ range: 'bytes=1-2', ifRange: ETAG }).kind, 'part');
  for (const ifRange of ['"other"', `W/${ETAG}`, 'abc', 'Wed, 21 Oct 2015 07:28:00 GMT']) {
    assert.equal(choose({ range: 'bytes=1-2', ifRange }).kind, 'whole', ifRange);
    assert.equal(choose({ range: 'bytes=5000-', ifRange }).kind, 'whole', 'not even unsatisfiable');
  }
});

test('If-None-Match, which comes before Range', () => {
  for (const ifNoneMatch of [ETAG, `W/${ETAG}`, `"x", ${ETAG} ,"y"`, '*'])
    assert.equal(choose({ ifNoneMatch, range: 'bytes=5000-' }).kind, 'not-modified', ifNoneMatch);
  for (const ifNoneMatch of ['"x"', 'abc', '"abcd"']) {
    assert.equal(choose({ ifNoneMatch }).kind, 'whole', ifNoneMatch);
    assert.equal(choose({ ifNoneMatch, range: 'bytes=5000-' }).kind, 'unsatisfiable');
  }
});
