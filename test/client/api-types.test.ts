import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { API_TYPES_FILE, currentApiTypes } from './api-types.ts';

test('the client’s types are those of the document that the server answers with', async () => {
  const stored = readFileSync(API_TYPES_FILE, 'utf8');
  assert.equal(stored, await currentApiTypes(), 'run `npm run client:types`');
});
