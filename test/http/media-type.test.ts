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

for (const text of accepted) test(`${text} is a media type`, () => assert.ok(isMediaType(text)));
for (const text of refused) {
  test(`${JSON.stringify(text)} is none`, () => assert.ok(!isMediaType(text)));
}

test('a long text that is none is refused without end of trying', () => {
  assert.ok(!isMediaType(`a/b${'; a="\\\\"'.repeat(2_000)}!`));
});
