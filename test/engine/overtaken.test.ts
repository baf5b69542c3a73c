/** Commands that were right when they were sent, and whose world is another one by their turn: they change nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../src/engine/decide/command.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import type { State } from '../../src/engine/state.ts';
import { availableStock } from '../../src/engine/stock.ts';
import type { Webhook } from '../../src/engine/webhook.ts';
import { codeOf, execute, NOW_MS, PRODUCT, placeOrder, worldState } from './commands.ts';

const WEBHOOK: Webhook = {
  url: 'https://shop.example/',
  events: ['order.completed'],
  balanceThresholdUsdt: null,
  sealedSecret: 'first',
};
const KEY = { prefix: 'pk_live_1', sha256: 'a'.repeat(64), scopes: [], issuedAtMs: NOW_MS, isActive: true };

/** Product 1 is the supplier's, by its SKU x. */
function supplied(): State {
  const state = worldState({ accounts: 1, products: 0, balanceMicros: 9e9, stock: 0 });
  const profile = { name: 'Codes', url: 'http://supplier.example', sealedSecret: '' };
  execute(state, { kind: 'CreateSupplier', profile });
  const source = { supplierId: 1, sku: 'x' };
  execute(state, { kind: 'CreateProduct', profile: { ...PRODUCT, sources: [source] } });
  return state;
}

test('a key that was replaced or revoked sets and removes no webhook', () => {
  const state = worldState({ accounts: 1, products: 0, balanceMicros: 0, stock: 0 });
  const sent = { accountId: 1, keySha256: KEY.sha256 };
  execute(state, { kind: 'IssueKey', accountId: 1, key: KEY });
  assert.equal(codeOf(execute(state, { kind: 'SetWebhook', webhook: WEBHOOK, ...sent })), 'done');
  for (const death of [
    { kind: 'IssueKey', accountId: 1, key: { ...KEY, sha256: 'b'.repeat(64) } },
    { kind: 'RevokeKey', accountId: 1 },
  ] as const) {
    execute(state, death);
    const webhook = { ...WEBHOOK, sealedSecret: 'second' };
    assert.equal(codeOf(execute(state, { kind: 'SetWebhook', webhook, ...sent })), 'UNAUTHORIZED');
    assert.equal(codeOf(execute(state, { kind: 'RemoveWebhook', ...sent })), 'UNAUTHORIZED');
    assert.equal(state.accounts.get(1)?.webhook?.sealedSecret, WEBHOOK.sealedSecret);
  }
});

test('texts that were compared before a lot was recalled are not put on sale, whoever brings them', () => {
  const items = { productId: 1, firstItem: 5, count: 2 };
  const late = { accountId: 1, supplierPurchaseId: 1, result: 'delivered', delivered: 2 } as const;
  const bringers: ((recalledItems: number) => Command)[] = [
    (recalledItems) => ({ kind: 'AddStock', ...items, recalledItems }),
    (recalledItems) => ({ kind: 'ReconcileSupplierPurchase', ...items, ...late, recalledItems }),
  ];
  for (const command of bringers) {
    const state = supplied();
    execute(state, placeOrder());
    const ids = { accountId: 1, productId: 1, supplierPurchaseId: 1 };
    execute(state, { kind: 'ReleaseHold', ...ids, code: 'PROVIDER_TIMEOUT', isUnresolved: true });
    execute(state, { kind: 'AddStock', productId: 1, firstItem: 0, count: 3 });
    execute(state, { kind: 'AddStock', productId: 1, firstItem: 3, count: 2 });
    execute(state, { kind: 'RecallLot', lotId: 1 });
    const refused = execute(state, command(0));
    assert.ok(refused instanceof Rejection);
    assert.match(refused.message, /A lot was recalled meanwhile/);
    assert.equal(state.stock.available(1), 2);
    assert.equal(state.supplierPurchases.get(1)?.phase, 'unresolved');
    assert.equal(codeOf(execute(state, command(3))), 'done');
    assert.equal(state.stock.available(1), 4);
  }
});

test('what a supplier says it has of one SKU is not recorded for another, nor kept for it', () => {
  const state = supplied();
  const left = () => availableStock(state.stock, state.products.get(1) ?? assert.fail());
  const say = (available: number, sku: string) => {
    const changes = [{ productId: 1, sku, available }];
    return codeOf(execute(state, { kind: 'RecordSupplierStock', supplierId: 1, changes }));
  };
  assert.deepEqual([say(12, 'y'), say(12, 'x'), left()], ['NOT_FOUND', 'done', 12]);
  const source = { supplierId: 1, sku: 'y' };
  execute(state, { kind: 'UpdateProduct', productId: 1, changes: { sources: [source] } });
  assert.deepEqual([say(12, 'x'), left()], ['NOT_FOUND', 0]);
  say(Number.MAX_SAFE_INTEGER, 'y');
  execute(state, { kind: 'AddStock', productId: 1, firstItem: 0, count: 3 });
  assert.equal(left(), Number.MAX_SAFE_INTEGER);
});
