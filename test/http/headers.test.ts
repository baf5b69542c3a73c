/**
 * Headers of requests that are read by hand: which part of a file of 1,000 bytes a download gets (RFC 9110 §13, §14), which
 * of two media types a request prefers, and what is a media type at all.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPreferred } from '../../src/http/accept.ts';
import { type BodyPart, choosePart, type RangeConditions } from '../../src/http/byte-range.ts';
import { isMediaType } from '../../src/http/media-type.ts';

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
    'bytes=500-5000': [500, 1000],
    'bytes=007-009': [7, 10],
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

test('Accept', () => {
  const cases: [accept: string | undefined, isCsv: boolean][] = [
    [undefined, false],
    ['Text/CSV; header=present; Q=0.1', true],
    ['text/csv, application/json', true],
    ['application/json;q=0.5, text/csv;q=0.6', true],
    ['text/csv;q=0, */*', false],
    ['text/csv;q=much', false],
    ['*/*', false],
    ['text/*;q=0.2, */*;q=0.1', true],
    ['text/csv;q=0.9, */*', false],
    ['text/html, application/xhtml+xml, */*;q=0.8', false],
  ];
  for (const [accept, isCsv] of cases)
    assert.equal(isPreferred('text/csv', 'application/json', accept), isCsv, accept);
});

test('a media type may have parameters, and nothing that ends a line', () => {
  const accepted = ['text/plain;charset=utf-8;format=flowed', 'text/plain; title="a; \\"b\\" c"', 'a/b'];
  const parameters = ['', ' charset', ' charset=', ' a="open', ' a="\\"', ' a="\r\n"', ' a="\u0000"', ' a=é'];
  const refused = [
    '',
    'pdf',
    '/pdf',
    ' text/plain',
    'text/plain, a/b',
    'text/plain\r\nx-evil: 1',
    'text/plain\n',
  ];
  for (const text of accepted) assert.ok(isMediaType(text), text);
  for (const text of [...refused, ...parameters.map((each) => `text/plain;${each}`)])
    assert.ok(!isMediaType(text), JSON.stringify(text));
  const endless = `a/b${'; a="\\\\"'.repeat(2_000)}!`;
  assert.ok(!isMediaType(endless), 'without end of trying');
});
