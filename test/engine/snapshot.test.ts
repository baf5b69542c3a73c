/** An answer is what was so in its command's turn: nothing that is applied later changes it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from '../../src/engine/decide/command.ts';
import { Rejection } from '../../src/engine/decide/rejection.ts';
import { SCOPES } from '../../src/engine/scope.ts';
import { execute, NOW_MS, PRODUCT, placeOrder, worldState } from './commands.ts';

const FILE = { fileId: 'f', sizeBytes: 1, contentType: 'text/plain', sha256: 's' };
const WEBHOOK = {
  url: 'https://x.test',
  events: ['order.completed'] as const,
  balanceThresholdUsdt: null,
  sealedSecret: '',
};
const profile = (name: string) => ({ name, rateLimitPerMinute: null, webhookConcurrency: 1 });
const supplier = (name: string) => ({ name, url: 'http://supplier.example', sealedSecret: '' });
const key = (sha256: string) => ({ prefix: 'p', sha256, scopes: SCOPES, issuedAtMs: NOW_MS, isActive: true });
const source = { supplierId: 1, sku: 'a' };
const supplied = { accountId: 2, productId: 2, supplierPurchaseId: 1 };

/** Commands of all kinds that answer with rows or counts, each about what others change as well. */
const commands: Command[] = [
  { kind: 'CreateAccount', profile: profile('first') },
  { kind: 'CreditWallet', accountId: 2, reference: 'a', amountMicros: 90_000_000 },
  { kind: 'IssueKey', accountId: 2, key: key('a') },
  { kind: 'SetWebhook', accountId: 2, webhook: WEBHOOK },
  { kind: 'AddStock', productId: 1, firstItem: 5, count: 5 },
  { kind: 'WithdrawStock', productId: 1, count: 2 },
  placeOrder({ accountId: 2 }),
  placeOrder({ accountId: 2 }),
  { kind: 'UpdateAccount', accountId: 2, changes: { name: 'second' } },
  { kind: 'CreateSupplier', profile: supplier('first') },
  { kind: 'UpdateSupplier', supplierId: 1, changes: { name: 'second' } },
  { kind: 'CreateProduct', profile: { ...PRODUCT, sources: [source] } },
  { kind: 'RecordSupplierStock', supplierId: 1, changes: [{ productId: 2, sku: 'a', available: 7 }] },
  placeOrder({ accountId: 2, productId: 2, idempotencyKey: 'supplied' }),
  { kind: 'UpdateProduct', productId: 2, changes: { name: 'second' } },
  { kind: 'ReleaseHold', ...supplied, code: 'PURCHASE_FAILED', isUnresolved: true },
  {
    kind: 'ReconcileSupplierPurchase',
    ...supplied,
    result: 'delivered',
    delivered: 3,
    firstItem: 0,
    count: 2,
  },
  { kind: 'AddStock', productId: 2, firstItem: 2, count: 1 },
  { kind: 'CreateProduct', profile: { ...PRODUCT, type: 'file' } },
  { kind: 'SetProductFile', productId: 3, file: FILE },
  { kind: 'UpdateProduct', productId: 3, changes: { active: false } },
  { kind: 'SetProductFile', productId: 3, file: { ...FILE, fileId: 'another' } },
  { kind: 'CreateProduct', profile: { ...PRODUCT, type: 'manual' } },
  { kind: 'OpenOrder', accountId: 2, productId: 4, quantity: 1, recipientUsername: null, requestNumber: 0 },
  { kind: 'PayOrder', orderId: 2, expectedPriceUsdt: null },
  { kind: 'CompleteOrder', orderId: 2, textCount: 0, areTextsWritten: false },
  { kind: 'RefundOrder', orderId: 2 },
  { kind: 'RemoveWebhook', accountId: 2 },
  { kind: 'RevokeKey', accountId: 2 },
  { kind: 'UpdateAccount', accountId: 2, changes: { name: 'third' } },
  { kind: 'UpdateSupplier', supplierId: 1, changes: { name: 'third' } },
  { kind: 'UpdateProduct', productId: 2, changes: { name: 'third', sources: [] } },
  { kind: 'WithdrawStock', productId: 1, count: 100 },
];

test('what comes later changes no answer that was taken', () => {
  const state = worldState({ accounts: 1, products: 1, balanceMicros: 0, stock: 5 });
  const taken = commands.map((command) => {
    const result = execute(state, command);
    assert.ok(!(result instanceof Rejection), JSON.stringify([command, result]));
    return { command, result, copy: structuredClone(result) };
  });
  for (const { command, result, copy } of taken) {
    assert.deepEqual({ ...(result as object) }, { ...(copy as object) }, command.kind);
  }
});
