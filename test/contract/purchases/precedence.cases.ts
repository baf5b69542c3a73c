/**
 * SPEC.md §7: of two things that are wrong with one purchase, which one is the answer. Every pair of the table
 * in the buyer guide, whose rows must be the ones below.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BuyerReply } from '../../support/buyer-client.ts';
import { ok } from '../../support/operator-client.ts';
import { repositoryRoot } from '../../support/repository-root.ts';
import { assertRefusal } from '../reply-assertions.ts';
import { casesOf, freshIdempotencyKey, type Scene } from '../scene.ts';

/** Errors of a request, first things first. */
const TABLE = [
  ['unknown route', 404, 'NOT_FOUND'],
  ['dead key', 401, 'UNAUTHORIZED'],
  ['rate limit used up', 429, 'RATE_LIMITED'],
  ['missing scope', 403, 'FORBIDDEN'],
  ['bad body', 400, 'BAD_REQUEST'],
  ['used idempotency key', 409, 'IDEMPOTENCY_CONFLICT'],
  ['inactive product', 404, 'NOT_FOUND'],
  ['missing recipient', 400, 'BAD_REQUEST'],
  ['other price', 409, 'PRICE_CHANGED'],
  ['no stock', 409, 'OUT_OF_STOCK'],
  ['no balance', 402, 'INSUFFICIENT_BALANCE'],
  ['spend limit reached', 429, 'RATE_LIMITED'],
] as const;

type Fault = (typeof TABLE)[number][0];

/** The answer to a purchase with these faults and no others. */
async function purchaseWith(scene: Scene, ...faults: readonly Fault[]): Promise<BuyerReply> {
  const has = (fault: Fault) => faults.includes(fault);
  const buyer = await scene.buyer({ balanceUsdt: has('no balance') ? 0 : 100 });
  const idempotencyKey = freshIdempotencyKey();
  const productId = await scene.product({
    stock: has('no stock') ? 0 : 5,
    active: !has('inactive product'),
    requiresRecipient: has('missing recipient'),
  });
  if (has('used idempotency key')) {
    const other = await scene.product({ stock: 1 });
    await scene.buyers.purchase(buyer.apiKey, idempotencyKey, { productId: other, expectedPriceUsdt: 3.5 });
  }
  const apiKey = has('missing scope')
    ? await scene.freshKey(buyer.accountId, ['catalog:read'])
    : buyer.apiKey;
  if (has('rate limit used up')) {
    await ok(scene.operator.json('PATCH', `/accounts/${buyer.accountId}`, { rateLimitPerMinute: 1 }));
    await scene.buyers.products(apiKey);
  }
  if (has('spend limit reached')) {
    const spendLimits = [{ windowHours: 1, amountUsdt: 0 }];
    await ok(scene.operator.json('PATCH', `/accounts/${buyer.accountId}`, { spendLimits }));
  }
  if (has('dead key')) await scene.freshKey(buyer.accountId);
  return scene.buyers.raw(
    'POST',
    has('unknown route') ? '/order' : '/orders',
    { 'x-api-key': apiKey, 'idempotency-key': idempotencyKey, 'content-type': 'application/json' },
    JSON.stringify({
      productId,
      quantity: has('bad body') ? 0 : 1,
      expectedPriceUsdt: has('other price') ? 3.49 : 3.5,
    }),
  );
}

export const precedence = casesOf('precedence', (scene) => {
  for (const [index, [first, status, code]] of TABLE.entries()) {
    for (const [second] of TABLE.slice(index)) {
      const what = first === second ? first : `${first} comes before ${second}`;
      test(`§7 ${what}: ${status} ${code}`, async () => {
        const reply = await purchaseWith(scene, first, second);
        assertRefusal(reply, status, code);
        assert.equal(reply.text.includes('route'), first === 'unknown route');
        assert.equal(reply.text.includes('recipient'), first === 'missing recipient');
      });
    }
  }
});

test('the buyer guide has the same table', () => {
  const guide = readFileSync(join(repositoryRoot(), 'docs/buyer-guide.md'), 'utf8');
  const section = guide.split('## Which error comes first')[1]?.split('\n## ')[0] ?? '';
  const rows = Array.from(section.matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \|/gm), (row) => [
    Number(row[1]),
    row[2],
  ]);
  assert.deepEqual(
    rows,
    TABLE.map(([, status, code]) => [status, code]),
  );
});
