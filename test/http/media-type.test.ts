import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMediaType } from '../../src/http/media-type.ts';

const accepted = [
  'application/pdf',
  'text/plain; charset=utf-8',
  'text/plain;charset=utf-8;format=flowed',
  'application/vnd.api+json',
  'text/plain; title="a; \\"b\\" c"',
  'a/b',
];

const refused = [
  '',
  'pdf',
  'application/',
  '/pdf',
  'application/pdf;',
  'application/pdf; charset',
  'application/pdf; charset=',
  'text /plain',
  'text/plain, text/html',
  'text/plain; a="open',
  'text/plain; a="\\"',
  'text/plain\r\nx-evil: 1',
  'text/plain; a="\r\n"',
  'text/plain\n',
  'text/plain; a="\u0000"',
  'text/plain; a=é',
  ' text/plain',
];

test('a media type may have parameters, and nothing that ends a line', () => {
  for (const text of accepted) assert.ok(isMediaType(text), text);
  for (const text of refused) assert.ok(!isMediaType(text), JSON.stringify(text));
  const endless = `a/b${'; a="\\\\"'.repeat(2_000)}!`;
  assert.ok(!isMediaType(endless), 'without end of trying');
});
