/** SPEC.md §3, beyond the contract: when a secret is sealed anew, and whose key may still change a webhook. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apply } from '../../src/engine/apply.ts';
import type { Command } from '../../src/engine/command.ts';
import { decide } from '../../src/engine/decide.ts';
import { noHistory } from '../../src/engine/history.ts';
import { Rejection } from '../../src/engine/rejection.ts';
import type { Webhook } from '../../src/engine/webhook.ts';
import { NOW_MS, worldState } from './commands.ts';

const FIRST: Webhook = {
  url: 'https://shop.example/',
  events: ['order.completed'],
  balanceThresholdUsdt: null,
  sealedSecret: 'first',
};
const SECOND: Webhook = {
  ...FIRST,
  events: ['balance.low'],
  balanceThresholdUsdt: 5,
  sealedSecret: 'second',
};
const KEY = { prefix: 'pk_live_1', sha256: 'a'.repeat(64), scopes: [], issuedAtMs: NOW_MS, isActive: true };

function world() {
  const state = worldState({ accounts: 2, products: 0, balanceMicros: 0, stock: 0 });
  const execute = (command: Command): string => {
    const decision = decide(state, noHistory, command, NOW_MS);
    if (decision instanceof Rejection) return decision.code;
    if ('isResealed' in decision) return 'nothing';
    assert.ok('atMs' in decision);
    apply(state, decision);
    return decision.kind;
  };
  return { execute, webhook: () => state.accounts.get(1)?.webhook };
}

test('a secret is sealed anew unless it is another one by now', () => {
  const { execute, webhook } = world();
  const anew = { kind: 'ResealWebhook', accountId: 1, before: 'first', sealedSecret: 'first again' } as const;
  assert.equal(execute(anew), 'nothing');
  execute({ kind: 'SetWebhook', accountId: 1, webhook: FIRST });
  assert.equal(execute(anew), 'WebhookResealed');
  assert.deepEqual(webhook(), { ...FIRST, sealedSecret: 'first again' });
  assert.equal(execute(anew), 'nothing');
  execute({ kind: 'SetWebhook', accountId: 1, webhook: SECOND });
  assert.equal(execute({ ...anew, before: 'first again' }), 'nothing');
  assert.deepEqual(webhook(), SECOND);
});

test('a key that was replaced or revoked while the command waited changes nothing', () => {
  const { execute, webhook } = world();
  const sent = { accountId: 1, keySha256: KEY.sha256 };
  execute({ kind: 'IssueKey', accountId: 1, key: KEY });
  assert.equal(execute({ kind: 'SetWebhook', webhook: FIRST, ...sent }), 'WebhookSet');
  for (const death of [
    { kind: 'IssueKey', accountId: 1, key: { ...KEY, sha256: 'b'.repeat(64) } },
    { kind: 'RevokeKey', accountId: 1 },
  ] as const) {
    execute(death);
    assert.equal(execute({ kind: 'SetWebhook', webhook: SECOND, ...sent }), 'UNAUTHORIZED');
    assert.equal(execute({ kind: 'RemoveWebhook', ...sent }), 'UNAUTHORIZED');
    assert.deepEqual(webhook(), FIRST);
  }
});
