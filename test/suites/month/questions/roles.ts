/** Who may not, and is told who may; and what nobody may ask, because it means nothing. */
import assert from 'node:assert/strict';
import type { Month } from '../month.ts';
import { type Operator, STAFF } from '../staff.ts';

type Call = readonly [
  method: string,
  path: string,
  body: object | undefined,
  may: readonly (typeof STAFF)[number]['role'][],
];

const CALLS: readonly Call[] = [
  ['POST', '/accounts/1/credits', { amountUsdt: 1, reference: 'not mine' }, ['finance']],
  ['POST', '/orders/1/refund', {}, ['support']],
  ['POST', '/orders/1/replace', { items: [0] }, ['support']],
  ['POST', '/items/search', { text: 'x' }, ['support', 'stock']],
  ['PATCH', '/products/1', { priceUsdt: 1 }, ['stock']],
  ['POST', '/lots/1/recall', {}, ['stock']],
  ['GET', '/reports/money?by=day', undefined, ['finance']],
  ['POST', '/accounts', { name: 'x' }, []],
  ['PATCH', '/accounts/1/key', { active: false }, []],
  ['POST', '/operators', { name: 'x', role: 'owner' }, []],
];

const BAD_QUERIES = [
  ['/orders?acountId=2', 'acountId'],
  ['/orders?from=yesterday', 'from'],
  ['/orders?to=2026-02-30', 'to'],
  ['/orders?status=lost', 'status'],
  ['/audit?operatorName=anna', 'operatorName'],
  ['/audit?from=2026-13-01', 'from'],
  ['/accounts/1/statement?until=2026-10-01', 'until'],
  ['/accounts/1/statement?from=1.5', 'from'],
  ['/reports/money?by=week', 'by'],
] as const;

export async function thoseWhoMayNot({ shop }: Month): Promise<void> {
  for (const [method, path, body, may] of CALLS) {
    for (const { name, role } of STAFF) {
      if (role === 'owner' || may.includes(role)) continue;
      const answer = await shop.ask(name, method, path, body);
      const title = `${name}, who is ${role}: ${method} ${path}: ${answer.text}`;
      assert.deepEqual([answer.status, answer.body.error], [403, 'FORBIDDEN'], title);
      for (const needed of [role, ...may, 'owner']) {
        assert.ok(answer.body.message?.includes(needed), `${title} names ${needed}`);
      }
    }
  }
}

export async function whatMeansNothing({ shop }: Month): Promise<void> {
  for (const [path, field] of BAD_QUERIES) {
    const { status, body, text } = await shop.ask('emil', 'GET', path);
    assert.deepEqual([status, body.error], [400, 'BAD_REQUEST'], `${path}: ${text}`);
    assert.ok(body.message?.includes(field), `${path} names ${field}: ${text}`);
  }
}

/** Tokens are shown once. */
export async function whoWorksHere({ shop }: Month): Promise<void> {
  const { operators, ...rest } = await shop.tell<{ operators: { name: Operator; role: string }[] }>(
    'dora',
    'GET',
    '/operators',
  );
  assert.deepEqual(
    operators.map(({ name, role }) => ({ name, role })),
    STAFF.map(({ name, role }) => ({ name, role })),
  );
  const text = JSON.stringify({ operators, rest });
  for (const { name } of STAFF) assert.ok(!text.includes(shop.tokenOf(name)), `the token of ${name}`);
}
