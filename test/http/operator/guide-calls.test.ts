/**
 * The guides and the operators' OpenAPI document name the same calls, with the same words for what stands in a path: what
 * a guide has, the document has, and the operator guide has all of the document's.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { OpenApiDocument } from '../../contract/documented-answers.ts';
import { callsOf } from '../../contract/openapi-promises.ts';
import { documentText } from '../../contract/operator/route-table.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

const DOCS = join(repositoryRoot(), 'docs');
/** `GET /a/{id}?from=`, and what follows it in a list: `GET /a`, `/b`. */
const CALL = /`((?:GET|POST|PUT|PATCH|DELETE) \/[^`]*)`((?:(?: · |, )`\/[^`]+`)*)/g;
const BASE = '/operator/v1';

const document = JSON.parse(documentText()) as OpenApiDocument;
const documented = callsOf(document).map(({ method, path }) => `${method} ${path}`);

/** Calls as a guide names them, without queries. */
function namedIn(file: string): Set<string> {
  const text = readFileSync(join(DOCS, file), 'utf8');
  const calls = Array.from(text.matchAll(CALL), ([, first = '', others = '']) => {
    const [method = '', path = ''] = first.split(' ');
    const paths = [path, ...Array.from(others.matchAll(/`([^`]+)`/g), ([, other = '']) => other)];
    return paths.map((each) => `${method} ${each.replace(/\?.*/, '').replace(BASE, '')}`);
  });
  return new Set(calls.flat());
}

test('the operator guide has every call of the document, with the same names', () => {
  const others = ['suppliers.md', 'receipts.md', 'backups.md', 'cluster.md'].flatMap((file) => [
    ...namedIn(file),
  ]);
  const named = new Set([...namedIn('operator-guide.md'), ...others]);
  assert.deepEqual(
    documented.filter((call) => !named.has(call)),
    [],
  );
});

/** Guides for buyers and suppliers have calls of other APIs. */
const OF_OPERATORS = readdirSync(DOCS).filter((file) => file.endsWith('.md'));

for (const file of OF_OPERATORS) {
  test(`what ${file} calls`, () => {
    const unknown = [...namedIn(file)].filter((call) => !documented.includes(call));
    assert.deepEqual(unknown, []);
  });
}
