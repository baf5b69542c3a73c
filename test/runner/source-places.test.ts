/** Places in what tests print are told as those in the sources. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inSources, writerInSources } from './source-places.ts';

const { stack = '' } = new Error('here');
const HERE = /source-places\.test\.ts:6:\d+/;

test('of a stack, and of a path from the root of the repository', () => {
  assert.doesNotMatch(stack, HERE);
  assert.match(inSources(stack), HERE);
  const [place = ''] = /dist\/test\/[^\s()]+/.exec(stack) ?? [];
  assert.match(inSources(`test at ${place}`), /^test at test\/runner\/source-places\.test\.ts:6:\d+$/);
});

test('whose file has no map stay as they are', () => {
  const told = 'at run (file:///nowhere/dist/src/gone.js:1:1)';
  assert.equal(inSources(told), told);
});

test('also when they come in parts', () => {
  const written: string[] = [];
  const write = writerInSources((text) => written.push(text));
  const middle = stack.indexOf('source-places');
  write(`begins\n${stack.slice(0, middle)}`);
  write(stack.slice(middle));
  write(undefined);
  assert.equal(written.join(''), `begins\n${inSources(stack)}`);
});
