import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COMMAND_TYPES_FILE, currentCommandTypes } from './command-types.ts';

test('the commands that the console may name, and their flags, are those of the program', () => {
  const types = readFileSync(COMMAND_TYPES_FILE, 'utf8');
  assert.equal(types, currentCommandTypes(), 'run `npm run console:types`');
});
