/** The operator guide's table of roles is what the routes say, with the names that the OpenAPI document uses. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROLES } from '../../../src/engine/operators.ts';
import { documentedPath } from '../../../src/http/openapi/request-parameters.ts';
import type { OperatorRoute } from '../../../src/http/operator/operator-route.ts';
import { mayCall } from '../../../src/http/operator/roles.ts';
import { ROUTES } from '../../contract/operator/route-table.ts';
import { repositoryRoot } from '../../support/repository-root.ts';

const guide = readFileSync(join(repositoryRoot(), 'docs/operator-guide.md'), 'utf8');

/** `every `GET`` may have exceptions: "every `GET` but `GET /a` and `GET /b`". */
function callsOf(row: string): string[] {
  const [reads = '', ...others] = row.split(', ');
  if (!reads.startsWith('every `GET`')) return namedIn(row);
  const excepted = namedIn(reads);
  const gets = ROUTES.filter(({ method, isOpen }) => method === 'GET' && !isOpen).map(callOf);
  return [...gets.filter((call) => !excepted.includes(call)), ...namedIn(others.join(', '))];
}

function namedIn(text: string): string[] {
  return Array.from(text.matchAll(/`([A-Z]+ [^`]+)`/g), ([, call = '']) => call);
}

function callOf({ method, path }: OperatorRoute): string {
  return `${method} ${documentedPath(path)}`;
}

for (const role of ROLES) {
  test(`the guide names the calls of ${role}, and no others`, () => {
    const row = new RegExp(`^\\| \`${role}\` \\| [^|]+ \\| (.+) \\|$`, 'm').exec(guide)?.[1] ?? '';
    if (role === 'owner') return assert.equal(row, 'everything');
    const allowed = ROUTES.filter((route) => mayCall(role, route.roles) && !route.isOpen);
    assert.deepEqual(callsOf(row).toSorted(), allowed.map(callOf).toSorted());
  });
}
