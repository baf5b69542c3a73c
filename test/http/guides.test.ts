/**
 * The guides say what the program does: no call that it doesn't have, with the same words for what stands in a path, and
 * the errors that it answers. Which calls there are is the document's to say.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { API_ERRORS } from '../../src/engine/api-errors.ts';
import { ERROR_TABLE } from '../../src/http/openapi/buyer-description.ts';
import type { OpenApiDocument } from '../contract/openapi/documented-answers.ts';
import { callsOf as documentedCalls } from '../contract/openapi/openapi-promises.ts';
import { documentText } from '../contract/operator/route-table.ts';
import { repositoryRoot } from '../support/repository-root.ts';

const DOCS = join(repositoryRoot(), 'docs');
const guideOf = (name: string) => readFileSync(join(DOCS, name), 'utf8');
/** `GET /a/{id}?from=`, and what follows it in a list: `GET /a`, `/b`. */
const CALL = /`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)`((?:(?: · |, )`\/[^`]+`)*)/g;
const BASE = '/operator/v1';

const document = JSON.parse(documentText()) as OpenApiDocument;
const documented = documentedCalls(document).map(({ method, path }) => `${method} ${path}`);

/** Calls as a guide names them, without queries. */
function namedIn(file: string): Set<string> {
  const text = guideOf(file);
  const calls = Array.from(text.matchAll(CALL), ([, first = '', others = '']) => {
    const [method = '', path = ''] = first.split(' ');
    const paths = [path, ...Array.from(others.matchAll(/`([^`]+)`/g), ([, other = '']) => other)];
    return paths.map((each) => `${method} ${each.replace(/\?.*/, '').replace(BASE, '')}`);
  });
  return new Set(calls.flat());
}

/** Calls of buyers and of suppliers, who have APIs of their own. */
const OF_OTHERS =
  /^GET \/(api\/v1\/buyer\/.+|health|balance|events|receipt-keys|webhook|orders\/\{id\}\/(download|receipt))$|^(POST|DELETE) \/webhook$|^POST \/api\/v1\/supplier\/|^(GET|POST) \/purchases/;

for (const file of readdirSync(DOCS).filter((name) => name.endsWith('.md'))) {
  test(`the document has what ${file} calls`, () => {
    const unknown = [...namedIn(file)].filter((call) => !documented.includes(call) && !OF_OTHERS.test(call));
    assert.deepEqual(unknown, []);
  });
}

test('§7 the buyer guide has the document’s table of errors, word for word', () => {
  const guide = guideOf('buyer-guide.md');
  assert.ok(guide.includes(ERROR_TABLE));
});

test('trouble.md has the errors that only operators are answered, word for word', () => {
  const guide = guideOf('trouble.md');
  const rows = Object.entries(API_ERRORS).filter(([, { isOperators }]) => isOperators);
  assert.equal(rows.length, guide.match(/^\| `[A-Z_]+` \| \d{3} \|/gm)?.length);
  for (const [code, { status, when, action }] of rows) {
    assert.ok(guide.includes(`| \`${code}\` | ${status} | ${when} | ${action} |`), code);
  }
});
