import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EXAMPLES_FILE } from './recorder.ts';
import { currentExamples } from './shop.ts';

test('the examples of the documents are what a node is asked and answers', { timeout: 120_000 }, async () => {
  assert.equal(readFileSync(EXAMPLES_FILE, 'utf8'), await currentExamples(), 'run `npm run api:examples`');
});
