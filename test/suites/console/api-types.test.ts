import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { API_TYPES_FILE, CALL_ROLES_FILE, currentApiTypes } from './api-types.ts';

test('the console’s types, and the roles it knows, are those of the document that the server answers with', async () => {
  const { types, roles } = await currentApiTypes();
  assert.equal(readFileSync(API_TYPES_FILE, 'utf8'), types, 'run `npm run console:types`');
  assert.equal(readFileSync(CALL_ROLES_FILE, 'utf8'), roles, 'run `npm run console:types`');
});
