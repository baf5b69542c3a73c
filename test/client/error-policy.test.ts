import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { policyOf } from '../../src/client/error-policy.ts';
import { API_ERRORS } from '../../src/engine/api-errors.ts';
import { repositoryRoot } from '../support/repository-root.ts';

const IS_CHARGED = {
  none: '`false`',
  'not-now': 'as before',
  'by-another': "`'unknown'`",
  unknown: "`'unknown'`",
};

test('docs/client.md says of every error whether the client sends the request again, and what isCharged is then', () => {
  const guide = readFileSync(join(repositoryRoot(), 'docs/client.md'), 'utf8');
  const table = guide.split('## What is retried')[1]?.split('\n## ')[0] ?? '';
  const told = Array.from(table.matchAll(/^\| (.+) \| (yes|no)\b.* \| (.+) \|$/gm)).flatMap(
    ([, codes = '', again, charged]) =>
      Array.from(codes.matchAll(/`([A-Z_]+)`/g), ([, code = '']) => [code, again, charged] as const),
  );
  const expected = Object.entries(API_ERRORS).flatMap(([code, { isOperators }]) => {
    const { isRetried, charge } = policyOf({ code });
    return isOperators ? [] : [[code, isRetried ? 'yes' : 'no', IS_CHARGED[charge]]];
  });
  assert.deepEqual(told.toSorted(), expected.toSorted());
});

test('an error that this client doesn’t know goes by its status, and is never called safe for the money', () => {
  assert.deepEqual(policyOf({ code: 'NEW', status: 503 }), { isRetried: true, charge: 'unknown' });
  assert.deepEqual(policyOf({ code: 'NEW', status: 409 }), { charge: 'unknown' });
  assert.equal(policyOf({ code: 'toString', status: 409 }).charge, 'unknown');
  for (const [code, { isOperators }] of Object.entries(API_ERRORS)) {
    if (isOperators) assert.equal(policyOf({ code }).charge, 'unknown', code);
  }
});

test('it retries by itself only what the server allows with the same key', () => {
  const retriedInVain: string[] = [];
  for (const [code, { isOperators, mayRetrySameKey }] of Object.entries(API_ERRORS)) {
    if (isOperators) continue;
    if (policyOf({ code }).isRetried && !mayRetrySameKey) retriedInVain.push(code);
  }
  // SPEC.md §7 has clients retry it; this server repeats it, and asks nobody again (supplied-product.cases.ts).
  assert.deepEqual(retriedInVain, ['PURCHASE_FAILED']);
});
