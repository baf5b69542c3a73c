import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EXAMPLES_FILE } from './recorder.ts';
import { currentExamples } from './shop.ts';

test('the examples of the documents are what a node is asked and answers', { timeout: 120_000 }, async () => {
  const kept = readFileSync(EXAMPLES_FILE, 'utf8').split('\n');
  const current = (await currentExamples()).split('\n');
  const others = current.filter((line) => !kept.includes(line));
  assert.deepEqual(others, [], 'run `npm run api:examples`');
  assert.equal(kept.length, current.length, 'run `npm run api:examples`');
});
