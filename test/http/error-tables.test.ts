/** The tables of errors in the guides are those that the program has. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { API_ERRORS } from '../../src/engine/api-errors.ts';
import { ERROR_TABLE } from '../../src/http/openapi/buyer-description.ts';
import { repositoryRoot } from '../support/repository-root.ts';

test('§7 the buyer guide has the document’s table of errors, word for word', () => {
  const guide = readFileSync(join(repositoryRoot(), 'docs/buyer-guide.md'), 'utf8');
  assert.ok(guide.includes(ERROR_TABLE));
});

test('the operator guide has the errors that only operators are answered, word for word', () => {
  const guide = readFileSync(join(repositoryRoot(), 'docs/operator-guide.md'), 'utf8');
  const rows = Object.entries(API_ERRORS).filter(([, { isOperators }]) => isOperators);
  assert.equal(rows.length, guide.match(/^\| `[A-Z_]+` \| \d{3} \|/gm)?.length);
  for (const [code, { status, when, action }] of rows) {
    assert.ok(guide.includes(`| \`${code}\` | ${status} | ${when} | ${action} |`), code);
  }
});
